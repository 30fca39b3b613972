"""HTTP: connections, requests, answers."""
