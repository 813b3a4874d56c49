"""GitHub as the App sees it: the ports of `github_app.ports`, over REST."""
