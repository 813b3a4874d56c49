"""The processes of the App: web server, workers, and who keeps them alive."""
