"""Backups, exports and imports."""
