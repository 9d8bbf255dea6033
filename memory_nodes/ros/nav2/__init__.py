"""All that is known of Nav2."""
