"""What becomes of observations once they are written down."""
