"""Tables on the web: rooms, sockets, storage, pages. See docs/server.md."""
