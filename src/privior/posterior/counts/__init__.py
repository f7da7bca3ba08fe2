"""The unknown table of true counts: summed over all tables where that can be afforded, else by chains."""
