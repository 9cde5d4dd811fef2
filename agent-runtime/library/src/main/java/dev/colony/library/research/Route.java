package dev.colony.library.research;

import java.util.List;

/**
 * An analyst to ask, and about which of its group's pages.
 *
 * @param passages those of the pages that the index finds for the question
 */
record Route(String agent, List<String> pages, List<Route.Passage> passages) {

  /** What a line outside of all passages counts beside the most relevant one of its page. */
  private static final double ELSEWHERE = 0.1;

  /**
   * Lines of a page.
   *
   * @param lastLine the last of them
   * @param relevance to the question, by the index: more than 0, 1 for the most relevant of all
   */
  record Passage(String page, String file, int firstLine, int lastLine, double relevance) {

    boolean has(Evidence line) {
      return page.equals(line.page())
          && file.equals(line.file())
          && firstLine <= line.lastLine()
          && line.firstLine() <= lastLine;
    }
  }

  Route {
    pages = List.copyOf(pages);
    passages = List.copyOf(passages);
  }

  /**
   * How relevant a line of one of the pages is: as its passage is. A page of which no passage is
   * known came by what other questions have taught: its lines count as those beside the most
   * relevant passage of all.
   */
  double relevance(Evidence line) {
    return passages.stream()
        .filter(passage -> passage.has(line))
        .mapToDouble(Passage::relevance)
        .max()
        .orElseGet(() ->
            ELSEWHERE
                * passages.stream()
                    .filter(passage -> passage.page().equals(line.page()))
                    .mapToDouble(Passage::relevance)
                    .max()
                    .orElse(1));
  }
}
