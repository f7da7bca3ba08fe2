"""One command a file: what it asks for, what it calls, what it shows."""
