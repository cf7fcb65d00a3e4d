"""The lab's worked studies: played again, and written into the documents, by one command. See `__main__.py`."""
