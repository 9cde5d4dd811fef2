package dev.colony.library.research;

import dev.colony.agent.AgentException;
import dev.colony.agent.author.ActionExecutor;
import dev.colony.agent.author.Agent;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.AgentCapability.CapabilityContext;
import dev.colony.agent.author.Param;
import dev.colony.agent.author.Registered;
import dev.colony.blackboard.Await;
import dev.colony.blackboard.value.Text;
import dev.colony.inference.InferenceException;
import dev.colony.inference.InferenceGateway;
import dev.colony.inference.ModelChoice;
import dev.colony.inference.OfferedModel;
import dev.colony.library.page.SourceTrees;
import dev.colony.library.research.ResearchTypes.MapIndexes;
import dev.colony.vcm.PageId;
import dev.colony.vcm.PageMap;
import dev.colony.vcm.VirtualContextPage;
import dev.colony.vcm.mapping.PageIndex.PassageHit;
import dev.colony.vcm.mapping.PageText;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** Searches a map for the places that may answer a question. */
@Registered(ReaderCapability.TYPE)
final class ReaderCapability extends AgentCapability {

  static final String TYPE = "research.places";
  static final String SEARCH = TYPE + ".search";

  /** Places that a model chooses among where its context is large. */
  static final int MOST_PLACES = 40;

  /** The same where it is not, or not known: its server may be slow to read them, too. */
  static final int FEW_PLACES = 24;

  /** A context in tokens from which on it is large. */
  static final long LARGE_CONTEXT = 16_000;

  /** Of one file, so that several have their say. */
  private static final int MOST_OF_FILE = 6;

  /** Passages of the index that are looked at for each place that is kept. */
  private static final int LOOKED_AT = 4;

  private static final int LABEL_CHARS = 160;

  /** Lines that tell nothing of what stands below them: comments, imports, brackets. */
  private static final Pattern TELLS_NOTHING =
      Pattern.compile(
          "\\s*(?:[/*#@<].*|--.*|(?:import|package|from|using|include)\\b.*|\\W*)", Pattern.DOTALL);

  ReaderCapability(CapabilityContext context) {
    super(context);
  }

  /**
   * A place in a file.
   *
   * @param score of the search; higher is better, comparable within one search
   * @param symbol what it declares; empty where it declares nothing
   * @param label how it begins, for a model to choose by
   */
  record Place(
      String file,
      int firstLine,
      int lastLine,
      double score,
      String page,
      String symbol,
      String label) {

    Answer.Hit hit() {
      return new Answer.Hit(file, firstLine, lastLine, symbol, score);
    }
  }

  /**
   * What a search has found.
   *
   * @param contextTokens that the model takes; 0 where that is not known
   * @param tools whether it takes tools, as far as is known
   * @param places best first
   */
  record Places(long contextTokens, boolean tools, List<Place> places) {
    Places {
      places = places == null ? List.of() : List.copyOf(places);
    }
  }

  @ActionExecutor(summary = "Searches a page map for the places that may answer a question.")
  Places search(
      @Param("the id of the page map") String map,
      @Param("what is searched for, a query each") List<String> queries) {
    Optional<OfferedModel> model = model(agent());
    long context = model.map(OfferedModel::contextTokens).orElse(OptionalLong.empty()).orElse(0);
    return new Places(
        context,
        model.filter(OfferedModel::tools).isPresent(),
        places(agent(), map, queries, context >= LARGE_CONTEXT ? MOST_PLACES : FEW_PLACES));
  }

  /** The best places of a map, so many at most. */
  static List<Place> places(Agent agent, String map, List<String> queries, int most) {
    PageMap pages = SourceTrees.map(agent.pages(), map);
    Map<String, Integer> ofFile = new HashMap<>();
    List<PassageHit> hits =
        agent.service(MapIndexes.class).passages(pages, queries, most * LOOKED_AT).stream()
            .filter(hit -> ofFile.merge(hit.file(), 1, Integer::sum) <= MOST_OF_FILE)
            .limit(most)
            .toList();
    FileTexts texts =
        FileTexts.of(
            agent
                .pages()
                .pages(
                    hits.stream()
                        .filter(hit -> hit.signature().isEmpty())
                        .map(PassageHit::page)
                        .distinct()
                        .toList()));
    return hits.stream().map(hit -> place(hit, texts)).toList();
  }

  private static Place place(PassageHit hit, FileTexts texts) {
    String label =
        hit.signature().isEmpty()
            ? texts.lines(hit.file(), hit.firstLine(), hit.lastLine()).values().stream()
                .filter(line -> !TELLS_NOTHING.matcher(line).matches())
                .findFirst()
                .orElse("")
            : hit.signature() + (hit.summary().isEmpty() ? "" : "  " + hit.summary());
    return new Place(
        hit.file(),
        hit.firstLine(),
        hit.lastLine(),
        hit.score(),
        hit.page().value(),
        hit.symbol(),
        Text.line(label.strip(), LABEL_CHARS));
  }

  /** The model that an agent asks; empty where its server does not answer. */
  static Optional<OfferedModel> model(Agent agent) {
    try {
      ModelChoice choice = agent.blueprint().model();
      return Await.result(agent.service(InferenceGateway.class).servedModels()).stream()
          .filter(model ->
              choice instanceof ModelChoice.Named named
                  ? model.name().equals(named.model())
                  : model.usual())
          .findFirst();
    } catch (AgentException | InferenceException unknown) {
      return Optional.empty();
    }
  }

  /** The lines of files, as far as some pages have them. */
  record FileTexts(Map<String, TreeMap<Integer, String>> byFile) {

    static FileTexts of(Collection<VirtualContextPage> pages) {
      Map<String, TreeMap<Integer, String>> lines = new HashMap<>();
      for (VirtualContextPage page : pages) {
        for (PageText.SegmentLines segment : PageText.segments(page)) {
          TreeMap<Integer, String> file =
              lines.computeIfAbsent(segment.segment().file(), path -> new TreeMap<>());
          int number = segment.segment().firstLine();
          for (String line : segment.lines()) {
            file.put(number++, line);
          }
        }
      }
      return new FileTexts(lines);
    }

    /** By their numbers; those that the pages do not have are left out. */
    Map<Integer, String> lines(String file, int first, int last) {
      return last < first
          ? Map.of()
          : byFile.getOrDefault(file, new TreeMap<>()).subMap(first, true, last, true);
    }

    static FileTexts of(Agent agent, List<Place> places) {
      List<PageId> ids = new ArrayList<>();
      places.stream().map(Place::page).distinct().forEach(page -> ids.add(new PageId(page)));
      return of(ids.isEmpty() ? List.of() : agent.pages().pages(ids));
    }
  }
}
