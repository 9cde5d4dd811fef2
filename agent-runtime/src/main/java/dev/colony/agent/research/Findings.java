package dev.colony.agent.research;

import java.util.List;

/**
 * What an analyst found.
 *
 * @param unread the pages that no model answered for
 */
record Findings(List<Evidence> evidence, List<String> unread) {}
