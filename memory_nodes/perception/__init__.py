"""From images to chunk graphs: keyframes, chunks, the VLM call and its reply."""
