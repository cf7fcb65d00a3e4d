"""The web server: rooms, sockets, storage and pages. See docs/server.md."""
