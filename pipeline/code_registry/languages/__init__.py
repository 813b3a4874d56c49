"""One room per language: how to read its files, how its imports find modules, which frameworks it has."""
