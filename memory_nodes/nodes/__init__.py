"""One file a node: wire, convert, call, publish. Nothing is decided here."""
