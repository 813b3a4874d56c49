"""Language models behind one small port: the real client, recorded and scripted replies, usage and cost."""
