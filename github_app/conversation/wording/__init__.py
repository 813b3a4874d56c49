"""Every sentence the App says. Pure: from what is known to a message; a surface turns it into text."""
