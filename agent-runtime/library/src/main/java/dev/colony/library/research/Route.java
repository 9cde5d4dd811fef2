package dev.colony.library.research;

import java.util.List;
import java.util.Map;

/**
 * An analyst to ask, and about which of its group's pages.
 *
 * @param relevance of each page to the question, by the index: more than 0, 1 for the most relevant
 */
record Route(String agent, List<String> pages, Map<String, Double> relevance) {

  Route {
    pages = List.copyOf(pages);
    relevance = Map.copyOf(relevance);
  }
}
