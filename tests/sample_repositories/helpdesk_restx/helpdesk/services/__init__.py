"""What the resources do, without HTTP."""
