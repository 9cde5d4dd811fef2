package dev.colony.examples.tour;

import dev.colony.agent.AgentException;
import dev.colony.agent.author.ActionExecutor;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.CapabilityContext;
import dev.colony.agent.author.Param;
import dev.colony.agent.author.Range;
import dev.colony.agent.author.Registered;
import dev.colony.library.page.PageGraphs;
import dev.colony.vcm.PageId;
import dev.colony.vcm.PageLines;
import dev.colony.vcm.PageMap;
import dev.colony.vcm.PageSegment;
import dev.colony.vcm.graph.PageGraph;
import dev.colony.vcm.graph.PageRank;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** Says which parts a mapped tree has, and how central they are in its page graph. */
@Registered(value = "example.tour", summary = "Says which parts a source tree has.")
public final class TourCapability extends AgentCapability {

  static final String PARTS = "example.tour.parts";

  private static final Pattern TESTS = Pattern.compile("(?:^|/)(?:tests?|__tests__|specs?)(?:/|$)");

  private static final int NEIGHBOURS = 4;

  /**
   * A part of the tree.
   *
   * @param name the directory that its files are in, {@code *} behind it where only those are meant
   *     that are in no directory below it
   * @param share of the centrality of the whole, 0 to 1
   * @param leadsTo the parts that it uses most
   * @param ledFrom the parts that use it most
   */
  public record Part(
      String name,
      double share,
      int files,
      int lines,
      List<String> leadsTo,
      List<String> ledFrom) {}

  public TourCapability(CapabilityContext context) {
    super(context);
  }

  @ActionExecutor(
      key = PARTS,
      summary = "Lists the parts of a mapped tree, the most central first, those of tests last.",
      computing = true)
  List<Part> parts(
      @Param("id of the page map") String map,
      @Param("how many parts about") @Range(min = 1, max = 100) int most) {
    PageMap stored =
        agent()
            .pages()
            .map(map)
            .toCompletableFuture()
            .join()
            .orElseThrow(() -> AgentException.refused("no page map " + map));
    PageLines lines = agent().pages().lines(stored).toCompletableFuture().join();
    Instant now = agent().blackboard().clock().instant();
    return agent().service(PageGraphs.class).with(map, graph -> parts(lines, graph, now, most));
  }

  private static List<Part> parts(PageLines lines, PageGraph graph, Instant now, int most) {
    Map<PageId, Double> ranks = PageRank.of(graph, now);
    Map<PageId, Integer> sizes = new HashMap<>();
    Map<String, Integer> counts = new TreeMap<>();
    Map<String, Double> central = new HashMap<>();
    for (String file : lines.files()) {
      for (PageId page : lines.pages(file)) {
        sizes.computeIfAbsent(page, one -> size(lines.lines(one)));
        for (PageSegment segment : lines.lines(page)) {
          if (segment.file().equals(file)) {
            int own = segment.lastLine() - segment.firstLine() + 1;
            counts.merge(file, own, Integer::sum);
            double rank = ranks.getOrDefault(page, 1.0 / Math.max(1, sizes.size()));
            central.merge(file, rank * own / sizes.get(page), Double::sum);
          }
        }
      }
    }
    List<TreeParts.Ranked> files = new ArrayList<>();
    counts.forEach(
        (path, count) -> files.add(new TreeParts.Ranked(path, count, central.get(path))));
    List<TreeParts.Part> parts = TreeParts.of(files, most);
    return described(parts, lines, graph, now);
  }

  private static int size(List<PageSegment> segments) {
    return segments.stream().mapToInt(one -> one.lastLine() - one.firstLine() + 1).sum();
  }

  private static List<Part> described(
      List<TreeParts.Part> parts, PageLines lines, PageGraph graph, Instant now) {
    double whole = parts.stream().mapToDouble(TreeParts.Part::rank).sum();
    Map<PageId, String> owner = new HashMap<>();
    for (TreeParts.Part part : parts) {
      for (TreeParts.Ranked file : part.files()) {
        // A page with files of several parts counts for the most central of them.
        lines.pages(file.path()).forEach(page -> owner.putIfAbsent(page, part.name()));
      }
    }
    Map<String, Map<String, Double>> leads = new HashMap<>();
    Map<String, Map<String, Double>> led = new HashMap<>();
    for (PageId page : graph.pages()) {
      for (PageGraph.Neighbour next : graph.from(page, now)) {
        String from = owner.get(page);
        String to = owner.get(next.page());
        if (from != null && to != null && !from.equals(to)) {
          leads.computeIfAbsent(from, key -> new HashMap<>()).merge(to, next.weight(), Double::sum);
          led.computeIfAbsent(to, key -> new HashMap<>()).merge(from, next.weight(), Double::sum);
        }
      }
    }
    return parts.stream()
        .sorted(Comparator.comparing(part -> TESTS.matcher(part.name()).find()))
        .map(part ->
            new Part(
                part.name(),
                whole == 0 ? 0 : part.rank() / whole,
                part.files().size(),
                part.lines(),
                heaviest(leads.getOrDefault(part.name(), Map.of())),
                heaviest(led.getOrDefault(part.name(), Map.of()))))
        .toList();
  }

  private static List<String> heaviest(Map<String, Double> weights) {
    return weights.entrySet().stream()
        .sorted(
            Map.Entry.<String, Double>comparingByValue(Comparator.reverseOrder())
                .thenComparing(Map.Entry.comparingByKey()))
        .limit(NEIGHBOURS)
        .map(Map.Entry::getKey)
        .toList();
  }
}
