package dev.colony.agent.research;

import java.util.List;

/** An analyst to ask, and about which of its group's pages. */
record Route(String agent, List<String> pages) {}
