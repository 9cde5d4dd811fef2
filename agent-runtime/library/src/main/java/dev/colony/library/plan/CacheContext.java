package dev.colony.library.plan;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

/**
 * What a plan needs of a cache: what a scheduler of pages is told before the plan runs, and what a
 * planner is shown when it revises.
 *
 * @param workingSet the pages, those that most actions read first; they stand in this order in
 *     prompts too, so that prompts begin alike
 * @param order the pages in the order in which they are read first
 * @param shared pages that several actions read
 * @param exclusive pages that one action reads
 * @param prefetch pages that are in no cache yet, in the order in which they are read first
 * @param smallestTokens what the largest single prompt needs: with less nothing stays cached
 * @param idealTokens what all pages need: with that, each is computed once
 * @param graph how the pages hang together, one line for the planner; empty where that is not known
 */
public record CacheContext(
    List<PageUse> workingSet,
    List<String> order,
    Set<String> shared,
    Set<String> exclusive,
    List<String> prefetch,
    long smallestTokens,
    long idealTokens,
    String graph) {

  /**
   * A page of the working set.
   *
   * @param readers how many of the actions read it: its priority
   * @param nextUse how many actions are executed before the first of them
   */
  public record PageUse(String page, int readers, int nextUse, int sizeTokens) {}

  /**
   * What is known of pages.
   *
   * @param sizes in tokens, by id; a page that is not there counts as empty
   * @param resident ids of those that are in the cache of some replica
   * @param cacheTokens what a cache holds; 0 where that is not known
   * @param graph as in {@link CacheContext#graph}
   */
  public record Pages(
      Map<String, Integer> sizes, Set<String> resident, long cacheTokens, String graph) {

    public static final Pages UNKNOWN = new Pages(Map.of(), Set.of(), 0, "");

    public Pages {
      sizes = Map.copyOf(sizes);
      resident = Set.copyOf(resident);
      Objects.requireNonNull(graph, "graph");
    }

    int size(String page) {
      return sizes.getOrDefault(page, 0);
    }
  }

  public CacheContext {
    workingSet = List.copyOf(workingSet);
    order = List.copyOf(order);
    shared = Set.copyOf(shared);
    exclusive = Set.copyOf(exclusive);
    prefetch = List.copyOf(prefetch);
    Objects.requireNonNull(graph, "graph");
  }

  /** Of actions in the order in which they are to be executed. */
  public static CacheContext of(List<PlanAction> actions, Pages known) {
    Map<String, Integer> readers = readers(actions);
    Map<String, Integer> first = new LinkedHashMap<>();
    long largest = 0;
    for (int at = 0; at < actions.size(); at++) {
      Set<String> pages = new LinkedHashSet<>(actions.get(at).pages());
      largest = Math.max(largest, pages.stream().mapToLong(known::size).sum());
      for (String page : pages) {
        first.putIfAbsent(page, at);
      }
    }
    List<PageUse> workingSet =
        first.keySet().stream()
            .sorted(canonical(readers))
            .map(page -> new PageUse(page, readers.get(page), first.get(page), known.size(page)))
            .toList();
    Set<String> shared = new LinkedHashSet<>();
    Set<String> exclusive = new LinkedHashSet<>();
    readers.forEach((page, many) -> (many > 1 ? shared : exclusive).add(page));
    return new CacheContext(
        workingSet,
        List.copyOf(first.keySet()),
        shared,
        exclusive,
        first.keySet().stream().filter(page -> !known.resident().contains(page)).toList(),
        largest,
        first.keySet().stream().mapToLong(known::size).sum(),
        known.graph());
  }

  /** The tokens of cached pages that the one reads and the other does not: computed in vain. */
  public static long lostTokens(List<PlanAction> before, List<PlanAction> after, Pages known) {
    Set<String> still = readers(after).keySet();
    return readers(before).keySet().stream()
        .filter(page -> known.resident().contains(page) && !still.contains(page))
        .mapToLong(known::size)
        .sum();
  }

  /**
   * Of several drafts that would do, the one that takes the fewest tokens: those of cached pages
   * that it leaves unread, and what its planner says that its actions cost, where each draft says
   * that. Of equal ones the first.
   */
  public static PlanDraft hottest(List<PlanDraft> drafts, List<PlanAction> before, Pages known) {
    boolean stated = drafts.stream().allMatch(draft -> draft.costTokens() > 0);
    return drafts.stream()
        .min(
            Comparator.comparingLong(draft ->
                lostTokens(before, draft.actions(), known) + (stated ? draft.costTokens() : 0)))
        .orElseThrow(() -> new IllegalArgumentException("no draft to choose from"));
  }

  /**
   * Actions in an order that computes few prompt tokens: at each place, of those whose needs are
   * behind them, the one that finds most of its pages cached, and of those that read the same pages
   * the one that costs least. It is never worse than the order given, which is kept where it is as
   * good. Costs the square of the number of actions.
   *
   * @param actions which may need each other, by their names
   */
  public static List<PlanAction> ordered(List<PlanAction> actions, Pages known) {
    return ordered(List.of(), actions, known);
  }

  /**
   * The same behind others.
   *
   * @param before actions that were executed, in their order: what they read is still cached, as
   *     far as there was room
   */
  public static List<PlanAction> ordered(
      List<PlanAction> before, List<PlanAction> actions, Pages known) {
    if (known.cacheTokens() <= 0 || actions.stream().allMatch(one -> one.pages().isEmpty())) {
      return actions;
    }
    List<PlanAction> all = new ArrayList<>(before);
    all.addAll(actions);
    Comparator<String> canonical = canonical(readers(all));
    Map<PlanAction, List<String>> prompts = new HashMap<>();
    all.forEach(one -> prompts.put(one, one.pages().stream().sorted(canonical).toList()));
    PromptReplay cache = new PromptReplay(known.sizes(), known.cacheTokens());
    before.forEach(one -> cache.play(prompts.get(one)));
    List<PlanAction> left = new ArrayList<>(actions);
    List<PlanAction> ordered = new ArrayList<>();
    while (!left.isEmpty()) {
      PlanAction next = best(left, prompts, cache, canonical);
      left.remove(next);
      ordered.add(next);
      cache.play(prompts.get(next));
    }
    return cost(before, ordered, prompts, known) < cost(before, actions, prompts, known)
        ? ordered
        : actions;
  }

  /** The pages of each action as its prompt has them: in one order for all, shared ones first. */
  public static List<List<String>> prompts(List<PlanAction> actions) {
    Comparator<String> canonical = canonical(readers(actions));
    return actions.stream().map(one -> one.pages().stream().sorted(canonical).toList()).toList();
  }

  private static PlanAction best(
      List<PlanAction> left,
      Map<PlanAction, List<String>> prompts,
      PromptReplay cache,
      Comparator<String> canonical) {
    Set<String> waiting = new LinkedHashSet<>();
    left.forEach(one -> waiting.add(one.name()));
    Comparator<PlanAction> hits =
        Comparator.comparingLong((PlanAction one) -> cache.hit(prompts.get(one))).reversed();
    // Of those that find nothing cached, the ones that begin alike stand next to each other.
    Comparator<PlanAction> alike =
        Comparator.comparing(
            prompts::get,
            (a, b) -> {
              for (int at = 0; at < Math.min(a.size(), b.size()); at++) {
                int order = canonical.compare(a.get(at), b.get(at));
                if (order != 0) {
                  return order;
                }
              }
              return Integer.compare(a.size(), b.size());
            });
    return left.stream()
        .filter(one ->
            PlanDraft.needs(one).stream()
                .noneMatch(name -> !name.equals(one.name()) && waiting.contains(name)))
        .min(hits.thenComparing(alike).thenComparingLong(PlanAction::costTokens))
        .orElse(left.getFirst());
  }

  private static long cost(
      List<PlanAction> before,
      List<PlanAction> order,
      Map<PlanAction, List<String>> prompts,
      Pages known) {
    return PromptReplay.computed(
        Stream.concat(before.stream(), order.stream()).map(prompts::get).toList(),
        known.sizes(),
        known.cacheTokens());
  }

  private static Map<String, Integer> readers(List<PlanAction> actions) {
    Map<String, Integer> readers = new LinkedHashMap<>();
    actions.forEach(one ->
        new LinkedHashSet<>(one.pages()).forEach(page -> readers.merge(page, 1, Integer::sum)));
    return readers;
  }

  private static Comparator<String> canonical(Map<String, Integer> readers) {
    return Comparator.<String>comparingInt(page -> -readers.get(page))
        .thenComparing(Comparator.naturalOrder());
  }

  /**
   * Plays prompts against the cache of a model server that keeps what prompts begin with: of a
   * prompt the pages behind the longest beginning that is cached are computed. The least recently
   * used end of a beginning is evicted first, as servers with a radix tree do (Zheng et al.,
   * SGLang, 2024). Not thread-safe.
   */
  public static final class PromptReplay {

    /** A cached beginning: the pages up to this one. */
    private static final class Prefix {
      private final int tokens;
      private final int length;
      private long used;
      private int longer;

      Prefix(int tokens, int length) {
        this.tokens = tokens;
        this.length = length;
      }
    }

    private final Map<String, Integer> sizes;
    private final long capacity;
    private final Map<List<String>, Prefix> cached = new HashMap<>();
    private long held;
    private long clock;

    /**
     * @param sizes tokens of pages; of those that are not there, 0
     * @param capacity tokens that the cache holds
     */
    public PromptReplay(Map<String, Integer> sizes, long capacity) {
      this.sizes = sizes;
      this.capacity = capacity;
    }

    /** The tokens that prompts of these pages compute, one after the other, with an empty cache. */
    public static long computed(
        List<List<String>> prompts, Map<String, Integer> sizes, long capacity) {
      PromptReplay replay = new PromptReplay(sizes, capacity);
      return prompts.stream().mapToLong(replay::play).sum();
    }

    /** The tokens at the beginning of a prompt that are cached; changes nothing. */
    public long hit(List<String> pages) {
      long tokens = 0;
      for (int length = 1; length <= pages.size(); length++) {
        Prefix prefix = cached.get(pages.subList(0, length));
        if (prefix == null) {
          break;
        }
        tokens += prefix.tokens;
      }
      return tokens;
    }

    /** Plays a prompt and says how many of its tokens are computed. */
    public long play(List<String> pages) {
      long computed = tokens(pages) - hit(pages);
      clock++;
      List<String> all = List.copyOf(pages);
      for (int length = 1; length <= all.size(); length++) {
        List<String> key = all.subList(0, length);
        Prefix prefix = cached.get(key);
        if (prefix == null) {
          prefix = new Prefix(size(all.get(length - 1)), length);
          cached.put(key, prefix);
          held += prefix.tokens;
          if (length > 1) {
            cached.get(all.subList(0, length - 1)).longer++;
          }
        }
        prefix.used = clock;
      }
      evict();
      return computed;
    }

    private void evict() {
      while (held > capacity) {
        Map.Entry<List<String>, Prefix> victim =
            cached.entrySet().stream()
                .filter(one -> one.getValue().longer == 0)
                .min(
                    Comparator.<Map.Entry<List<String>, Prefix>>comparingLong(
                            one -> one.getValue().used)
                        .thenComparing(one -> -one.getValue().length)
                        .thenComparing(one -> String.join(" ", one.getKey())))
                .orElseThrow(() -> new IllegalStateException("nothing to evict of " + held));
        cached.remove(victim.getKey());
        held -= victim.getValue().tokens;
        List<String> key = victim.getKey();
        if (key.size() > 1) {
          cached.get(key.subList(0, key.size() - 1)).longer--;
        }
      }
    }

    private long tokens(List<String> pages) {
      return pages.stream().mapToLong(this::size).sum();
    }

    private int size(String page) {
      return sizes.getOrDefault(page, 0);
    }
  }
}
