"""What a repository says about itself in `.github/askfirst/`: its files, read and checked."""
