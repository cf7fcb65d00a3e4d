"""What keeps the documents true: the site, its pictures and the checks of `make lint`."""
