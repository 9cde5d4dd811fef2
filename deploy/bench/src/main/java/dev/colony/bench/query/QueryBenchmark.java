package dev.colony.bench.query;

import com.typesafe.config.Config;
import dev.colony.bench.query.SymbolQuestions.Question;
import dev.colony.vcm.PageId;
import dev.colony.vcm.VirtualContextPage;
import dev.colony.vcm.graph.PageGraph;
import dev.colony.vcm.graph.Prefetch;
import dev.colony.vcm.graph.QueryRouter;
import dev.colony.vcm.index.PageHit;
import dev.colony.vcm.index.PageIndex;
import dev.colony.vcm.settings.GraphSettings;
import dev.colony.vcm.settings.IndexSettings;
import dev.colony.vcm.settings.PrefetchSettings;
import dev.colony.vcm.settings.QuerySettings;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * Has a page graph settle over a source tree, round by round, and counts the pages that questions
 * which it has not learned from are put to: by index and graph together, by the index alone and by
 * the graph alone, each with a router of its own that learns when it is enough. All of one seed.
 */
public final class QueryBenchmark {

  private static final int HITS = 200;
  private static final Instant NOW = Instant.EPOCH;

  /** Pages of a prompt, with the asking one. */
  private static final int PROMPT_PAGES = 8;

  /** Pages that a question of a conversation reads at most, with the asking one. */
  private static final int READ = 13;

  private static final int TURNS = 6;

  /** Pages that are loaded after a question at most. */
  private static final int AHEAD = 4;

  /** What a cache holds of all pages. */
  private static final double[] CACHES = {0.3, 1};

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
    private final Map<PageId, Integer> read = new TreeMap<>();
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
      first(question, inquiry, PROMPT_PAGES).forEach(page -> read.merge(page, 1, Integer::sum));
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
    Optional<QueryReport.Reading> reading;
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
      reading = load.reading() ? Optional.of(reading(both, kept, hits)) : Optional.empty();
    }
    return new QueryReport(load, pages.size(), learned.size(), kept.size(), rounds, reading);
  }

  /** What prompts and caches come to with the graph as it stands. */
  private QueryReport.Reading reading(Way way, List<Question> kept, List<List<PageHit>> hits) {
    Map<PageId, Integer> sizes = new HashMap<>();
    pages.forEach(page -> sizes.put(page.id(), page.sizeTokens()));
    List<PageId> order = pages.stream().map(VirtualContextPage::id).toList();
    List<List<PageId>> prompts = new ArrayList<>();
    Map<PageId, List<LoadedAhead.Turn>> byAsking = new HashMap<>();
    for (int i = 0; i < kept.size(); i++) {
      Question question = kept.get(i);
      QueryRouter.Inquiry inquiry = way.ask(question, hits.get(i));
      prompts.add(first(question, inquiry, PROMPT_PAGES));
      List<PageId> read = first(question, inquiry, Math.min(READ, 1 + inquiry.planned()));
      byAsking
          .computeIfAbsent(question.from(), key -> new ArrayList<>())
          .add(
              new LoadedAhead.Turn(
                  read, read.stream().filter(question.answers()::contains).toList()));
    }
    PromptOrders orders = new PromptOrders(sizes, prompts);
    Map<String, Double> shares = new LinkedHashMap<>();
    PromptOrders.orders(order, way.read, way.graph, NOW)
        .forEach((name, one) -> shares.put(name, orders.cached(one)));
    long all = sizes.values().stream().mapToLong(Integer::intValue).sum();
    List<List<LoadedAhead.Turn>> conversations = conversations(byAsking);
    List<QueryReport.Ahead> ahead = new ArrayList<>();
    for (double share : CACHES) {
      for (boolean room : new boolean[] {false, true}) {
        for (Map.Entry<String, LoadedAhead.Choice> choice : choices(order, way).entrySet()) {
          ahead.add(
              new QueryReport.Ahead(
                  share,
                  room,
                  choice.getKey(),
                  LoadedAhead.of(
                      conversations, sizes, (long) (share * all), room, choice.getValue())));
        }
      }
    }
    return new QueryReport.Reading(
        shares,
        orders.most(),
        conversations.stream().mapToInt(List::size).sum(),
        conversations.size(),
        ahead);
  }

  private static List<PageId> first(Question question, QueryRouter.Inquiry inquiry, int most) {
    Set<PageId> first = new LinkedHashSet<>(List.of(question.from()));
    inquiry.order().stream().limit(most).forEach(first::add);
    return first.stream().limit(most).toList();
  }

  /** Each goes on with a question of a page that has answered, until none is left. */
  private List<List<LoadedAhead.Turn>> conversations(Map<PageId, List<LoadedAhead.Turn>> byAsking) {
    Map<PageId, Deque<LoadedAhead.Turn>> left = new TreeMap<>();
    byAsking.forEach((page, turns) -> left.put(page, new ArrayDeque<>(turns)));
    List<List<LoadedAhead.Turn>> conversations = new ArrayList<>();
    while (!left.isEmpty()) {
      List<LoadedAhead.Turn> conversation = new ArrayList<>();
      Optional<PageId> asks = Optional.of(left.keySet().iterator().next());
      while (asks.isPresent() && conversation.size() < TURNS) {
        Deque<LoadedAhead.Turn> turns = left.get(asks.get());
        LoadedAhead.Turn turn = turns.remove();
        if (turns.isEmpty()) {
          left.remove(asks.get());
        }
        conversation.add(turn);
        asks = turn.found().stream().filter(left::containsKey).findFirst();
      }
      conversations.add(conversation);
    }
    Collections.shuffle(conversations, new Random(load.seed()));
    return conversations;
  }

  private Map<String, LoadedAhead.Choice> choices(List<PageId> order, Way way) {
    PrefetchSettings set = PrefetchSettings.fromConfig(config);
    PrefetchSettings settings =
        new PrefetchSettings(
            AHEAD, set.tokens(), set.likelihood(), set.depth(), 1, 1, set.backlog());
    Map<PageId, Integer> place = new HashMap<>();
    order.forEach(page -> place.put(page, place.size()));
    List<PageId> popular =
        way.read.entrySet().stream()
            .sorted(Map.Entry.<PageId, Integer>comparingByValue().reversed())
            .map(Map.Entry::getKey)
            .toList();
    Map<String, LoadedAhead.Choice> choices = new LinkedHashMap<>();
    choices.put("nothing", (turn, cached) -> List.of());
    choices.put(
        "by the graph",
        (turn, cached) -> {
          List<PageId> from =
              turn.found().isEmpty() ? List.of(turn.read().getFirst()) : turn.found();
          return Prefetch.following(way.graph, from, cached, settings, NOW);
        });
    choices.put(
        "next in the map",
        (turn, cached) ->
            IntStream.rangeClosed(1, AHEAD)
                .boxed()
                .flatMap(step ->
                    turn.read().stream()
                        .map(page -> place.get(page) + step)
                        .filter(next -> next < order.size())
                        .map(order::get))
                .filter(page -> !cached.test(page))
                .distinct()
                .limit(AHEAD)
                .toList());
    choices.put(
        "most read before",
        (turn, cached) ->
            popular.stream().filter(page -> !cached.test(page)).limit(AHEAD).toList());
    return choices;
  }
}
