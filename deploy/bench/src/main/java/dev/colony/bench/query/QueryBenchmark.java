package dev.colony.bench.query;

import com.typesafe.config.Config;
import dev.colony.bench.query.SymbolQuestions.Question;
import dev.colony.vcm.PageId;
import dev.colony.vcm.VirtualContextPage;
import dev.colony.vcm.graph.PageGraph;
import dev.colony.vcm.graph.QueryRouter;
import dev.colony.vcm.index.PageHit;
import dev.colony.vcm.index.PageIndex;
import dev.colony.vcm.settings.GraphSettings;
import dev.colony.vcm.settings.IndexSettings;
import dev.colony.vcm.settings.QuerySettings;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Has a page graph settle over a source tree, round by round, and counts the pages that questions
 * which it has not learned from are put to: by index and graph together, by the index alone and by
 * the graph alone, each with a router of its own that learns when it is enough. All of one seed.
 */
public final class QueryBenchmark {

  private static final int HITS = 200;
  private static final Instant NOW = Instant.EPOCH;

  private final List<VirtualContextPage> pages;
  private final Config config;
  private final QueryLoad load;

  /**
   * @param pages in the reading order
   */
  public QueryBenchmark(List<VirtualContextPage> pages, Config config, QueryLoad load) {
    this.pages = List.copyOf(pages);
    this.config = config;
    this.load = load;
  }

  /** A way to route, with what it has learned. */
  private final class Way {

    private final boolean byIndex;
    private final PageGraph graph;
    private final QueryRouter router = new QueryRouter(QuerySettings.fromConfig(config));

    Way(boolean byIndex, boolean byGraph, int threads) {
      this.byIndex = byIndex;
      GraphSettings settings = GraphSettings.fromConfig(config);
      PageGraph laidOut = PageGraph.of(pages, threads, settings, NOW);
      if (byGraph) {
        graph = laidOut;
      } else {
        graph = new PageGraph(settings);
        laidOut.pages().forEach(graph::add);
      }
    }

    QueryRouter.Inquiry ask(Question question, List<PageHit> hits) {
      QueryRouter.Inquiry inquiry =
          router.begin(
              graph, Optional.of(question.from()), byIndex ? hits : List.of(), page -> true, NOW);
      for (Optional<PageId> next = inquiry.next(); next.isPresent(); next = inquiry.next()) {
        inquiry.answered(question.answers().contains(next.get()));
      }
      return inquiry;
    }

    void learn(Question question, List<PageHit> hits, boolean learnsEdges) {
      QueryRouter.Inquiry inquiry = ask(question, hits);
      router.learn(
          inquiry, learnsEdges ? graph : new PageGraph(GraphSettings.fromConfig(config)), NOW);
    }

    QueryReport.Figures figures(List<Question> kept, List<List<PageHit>> hits) {
      long calls = 0;
      long found = 0;
      long wanted = 0;
      for (int i = 0; i < kept.size(); i++) {
        QueryRouter.Inquiry inquiry = ask(kept.get(i), hits.get(i));
        calls += inquiry.asked();
        found += inquiry.answers().size();
        wanted += kept.get(i).answers().size();
      }
      return new QueryReport.Figures(
          (double) calls / kept.size(), (double) found / wanted, router.graphShare());
    }
  }

  /**
   * Blocks until all rounds are over.
   *
   * @throws IllegalArgumentException if the tree has too few names to ask for
   */
  public QueryReport run(int threads) {
    List<List<Question>> parts = SymbolQuestions.of(pages, load.kept(), load.seed());
    List<Question> learned = parts.get(0);
    List<Question> kept = parts.get(1);
    if (kept.isEmpty()) {
      throw new IllegalArgumentException(
          "the tree has too few names that stand on two to four pages: choose a larger one");
    }
    Way both = new Way(true, true, threads);
    Way index = new Way(true, false, threads);
    Way graph = new Way(false, true, threads);
    List<QueryReport.Round> rounds = new ArrayList<>();
    try (PageIndex searched = PageIndex.of(pages, threads, IndexSettings.fromConfig(config))) {
      List<List<PageHit>> hits =
          kept.stream().map(question -> searched.search(question.text(), HITS)).toList();
      int at = 0;
      // One that is asked again is known, and would say nothing of those that are not.
      for (int round = 0; round < load.rounds() && at < learned.size(); round++) {
        int end = Math.min(learned.size(), at + load.questions());
        while (at < end) {
          Question question = learned.get(at++);
          List<PageHit> found = searched.search(question.text(), HITS);
          both.learn(question, found, true);
          index.learn(question, found, false);
          graph.learn(question, found, true);
        }
        rounds.add(
            new QueryReport.Round(
                at,
                both.figures(kept, hits),
                index.figures(kept, hits),
                graph.figures(kept, hits)));
      }
    }
    return new QueryReport(load, pages.size(), learned.size(), kept.size(), rounds);
  }
}
