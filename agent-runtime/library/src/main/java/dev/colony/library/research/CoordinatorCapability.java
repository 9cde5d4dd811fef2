package dev.colony.library.research;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentException;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.RunId;
import dev.colony.agent.RunOptions;
import dev.colony.agent.RunStats;
import dev.colony.agent.author.ActionContext;
import dev.colony.agent.author.ActionExecutor;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.AgentCapability.CapabilityContext;
import dev.colony.agent.author.Param;
import dev.colony.agent.author.Registered;
import dev.colony.library.page.PageGraphs;
import dev.colony.library.research.AnalystPrompt.Assignment;
import dev.colony.library.research.Answer.UnreadReasons;
import dev.colony.library.research.CoordinatorCapability.Consultation.Findings;
import dev.colony.library.research.CoordinatorPrompts.CoordinatorCalls;
import dev.colony.library.research.CoordinatorPrompts.Gap;
import dev.colony.library.research.CoordinatorPrompts.Judgement;
import dev.colony.library.research.QuestionRouter.Route;
import dev.colony.library.research.ResearchTypes.Json;
import dev.colony.vcm.PageId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Finds the analysts to ask, and asks them all at once. */
@Registered(CoordinatorCapability.TYPE)
final class CoordinatorCapability extends AgentCapability {

  static final String TYPE = "research.analysts";
  static final String ROUTE = TYPE + ".route";
  static final String CONSULT = TYPE + ".consult";

  private static final String NAMESPACE = "research";

  private static final Pattern LATER = Pattern.compile("^consult-(\\d+)$");

  private static final Logger LOG = LoggerFactory.getLogger(CoordinatorCapability.class);

  /**
   * How far it goes.
   *
   * @param pages that a question is put to
   * @param laterPages that it is put to in each later round
   * @param evidence that is kept of what the analysts find
   */
  record Limits(int pages, int laterPages, int evidence) {
    Limits {
      check("pages", pages);
      check("laterPages", laterPages);
      check("evidence", evidence);
    }

    private static void check(String name, int value) {
      if (value < 1 || value > 1000) {
        throw new IllegalArgumentException(name + " is " + value + ", but must be 1 to 1000");
      }
    }
  }

  private final Limits limits;

  CoordinatorCapability(CapabilityContext context, Limits limits) {
    super(context);
    this.limits = limits;
  }

  /** Where no queries are given, the model is asked for them. */
  @ActionExecutor(
      summary = "Finds the analysts whose pages can answer the question, and spawns those missing.")
  List<Route> route(
      @Param("the question in plain words") String text,
      @Param("the id of the page map to answer it from") String map,
      @Param("further queries in the code's own words") Optional<List<String>> queries,
      @Param("pages that are left out") Optional<List<String>> without) {
    Set<PageId> left = new LinkedHashSet<>();
    without.orElse(List.of()).forEach(page -> left.add(new PageId(page)));
    return new QuestionRouter(agent())
        .route(
            new Question(text, map),
            queries.orElseGet(() -> CoordinatorCalls.words(agent(), text, map)),
            left,
            left.isEmpty() ? limits.pages() : limits.laterPages());
  }

  /** Blocks until every analyst has ended its run, with findings or without. */
  @ActionExecutor(summary = "Asks the analysts all at once and merges what they find.")
  Consultation consult(
      @Param("the question in plain words") String question,
      @Param("the analysts and which of their pages to read") List<Route> routes,
      @Param("the id of the page map that they are of, for its graph to learn")
          Optional<String> map,
      @Param("words that the code may use") Optional<List<String>> words,
      @Param("what an earlier round has left open") Optional<String> open,
      ActionContext context)
      throws InterruptedException {
    BlockingQueue<Ended> ended = new LinkedBlockingQueue<>();
    for (int i = 0; i < routes.size(); i++) {
      Route route = routes.get(i);
      Assignment assignment =
          new Assignment(
              question, route.pages(), words.orElse(List.of()), open.orElse(""), map.orElse(""));
      ask(context, assignment, i, route, ended);
    }
    List<Ended> all = new ArrayList<>();
    while (all.size() < routes.size()) {
      Ended one = ended.take();
      all.add(one);
      ObjectNode answered = JsonNodeFactory.instance.objectNode();
      answered.put("done", all.size()).put("of", routes.size());
      one.findings().ifPresent(found -> places(found.evidence(), answered.putArray("found")));
      context.emit(ResearchTypes.ANSWERED, answered);
    }
    Consultation merged = merge(all);
    ObjectNode compared = JsonNodeFactory.instance.objectNode();
    places(
        merged.evidence().subList(0, Math.min(Composing.PASSAGES, merged.evidence().size())),
        compared.putArray("strongest"));
    context.emit(ResearchTypes.COMPARED, compared);
    map.ifPresent(id -> learn(id, routes, merged));
    return merged;
  }

  private static void places(List<Evidence> lines, ArrayNode into) {
    lines.forEach(line -> into.add(line.place()));
  }

  /**
   * Has the page graph learn that the page with the strongest evidence leads to the others that had
   * some, and to the rest of those that were read less. Nothing waits for it.
   */
  private void learn(String map, List<Route> routes, Consultation merged) {
    Optional<PageGraphs> graphs = QuestionRouter.graphs(agent());
    if (graphs.isEmpty() || merged.evidence().isEmpty()) {
      return;
    }
    Set<String> answered = new LinkedHashSet<>();
    merged.evidence().forEach(one -> answered.add(one.page()));
    PageId strongest = new PageId(merged.evidence().getFirst().page());
    Set<PageId> read = new LinkedHashSet<>();
    routes.forEach(route -> route.pages().forEach(page -> read.add(new PageId(page))));
    merged.unread().forEach(page -> read.remove(new PageId(page)));
    read.remove(strongest);
    List<PageId> some = read.stream().filter(page -> answered.contains(page.value())).toList();
    Thread.startVirtualThread(() -> {
      try {
        graphs.get().learn(map, strongest, read, some);
      } catch (RuntimeException failure) {
        LOG.warn("the page graph of {} has not learned of a run: {}", map, failure.toString());
      }
    });
  }

  /** From what the model judges to answer. */
  @ActionExecutor(summary = "Composes the answer from what the analysts have found.")
  Answer compose(
      @Param("the question in plain words") String question,
      @Param("what the analysts gave") Consultation found) {
    Judgement judgement = CoordinatorCalls.judged(agent(), question, found.evidence(), false);
    return Composing.of(
        agent(),
        question,
        found,
        judgement.of(found.evidence()),
        judgement.gaps().stream().map(Gap::question).toList(),
        1);
  }

  private record Ended(int number, Route route, AgentRun run) {

    /** Empty where the run has failed. */
    Optional<Findings> findings() {
      return run.status() == AgentRun.Status.FAILED
          ? Optional.empty()
          : Optional.of(Json.read(run.output(), Findings.class));
    }
  }

  private void ask(
      ActionContext context,
      Assignment assignment,
      int number,
      Route route,
      BlockingQueue<Ended> ended) {
    RunId runId = new RunId(context.request().runId() + later(context.actionId()) + "." + number);
    RunOptions options =
        RunOptions.namespace(NAMESPACE).runId(runId).requestedBy(agent().id().persistenceId());
    agent()
        .colony()
        .agent(AgentId.parse(route.agent()))
        .run(Json.of(assignment), options)
        .result()
        .exceptionally(failure -> AgentRun.failed(runId, failure.getMessage(), RunStats.NONE))
        .thenAccept(run -> ended.add(new Ended(number, route, run)));
  }

  /** What tells the runs of a later round, as in {@code consult-2}, from those of the first. */
  private static String later(String actionId) {
    Matcher round = LATER.matcher(actionId);
    return round.find() ? ".r" + round.group(1) : "";
  }

  /** In the order of the routes, so that equal findings merge to equal consultations. */
  private Consultation merge(List<Ended> all) {
    all.sort(Comparator.comparingInt(Ended::number));
    List<Evidence> evidence = new ArrayList<>();
    List<String> unread = new ArrayList<>();
    RunStats stats = RunStats.NONE;
    UnreadReasons reasons = UnreadReasons.NONE;
    String lastError = "";
    int dropped = 0;
    List<String> read = new ArrayList<>();
    boolean anyFindings = all.isEmpty();
    for (Ended one : all) {
      stats = stats.plus(one.run().stats());
      Optional<Findings> found = one.findings();
      if (found.isEmpty()) {
        unread.addAll(one.route().pages());
        lastError = one.run().error().orElse("");
        reasons =
            reasons.plus(
                UnreadReasons.of(Collections.nCopies(one.route().pages().size(), lastError)));
        continue;
      }
      anyFindings = true;
      Findings findings = found.get();
      findings.evidence().forEach(line -> evidence.add(weighed(line, one.route())));
      unread.addAll(findings.unread());
      dropped += findings.dropped();
      one.route().pages().stream()
          .filter(page -> !findings.unread().contains(page))
          .forEach(read::add);
      reasons = reasons.plus(findings.reasons());
    }
    if (!anyFindings) {
      throw AgentException.refused("no analyst has an answer: " + lastError);
    }
    int pages = all.stream().mapToInt(one -> one.route().pages().size()).sum();
    List<Route> routes = all.stream().map(Ended::route).toList();
    return new Consultation(
        byFile(Evidence.strongest(evidence, limits.evidence()), routes),
        all.size(),
        unread,
        stats.toJson(),
        pages,
        reasons,
        dropped,
        read);
  }

  /**
   * The files in the order of the index, which sees all of them; of a file the strongest first.
   * Which of them answers is for who judges them.
   */
  private static List<Evidence> byFile(List<Evidence> strongest, List<Route> routes) {
    Map<String, Double> relevance = new HashMap<>();
    routes.forEach(route ->
        route.passages().forEach(one -> relevance.merge(one.file(), one.relevance(), Math::max)));
    return strongest.stream()
        .sorted(
            Comparator.comparingDouble((Evidence one) -> relevance.getOrDefault(one.file(), 0.0))
                .reversed())
        .toList();
  }

  /**
   * A model sees one page at a time and cannot know how much the others have to say: its score is
   * weighed by what the index, which sees all pages, says of the passage.
   */
  private static Evidence weighed(Evidence found, Route route) {
    return found.withScore(found.score() * route.relevance(found));
  }

  /**
   * What the analysts gave between them.
   *
   * @param evidence the strongest, each place once; of one round by files, the likeliest file first
   * @param unread the pages that no model answered for
   * @param stats the sum over the analysts' runs
   * @param pages how many pages they were to read
   * @param reasons why those that are unread are
   * @param dropped how many quotes stand nowhere in what the models were shown
   * @param read the pages that a model answered for
   */
  record Consultation(
      List<Evidence> evidence,
      int analysts,
      List<String> unread,
      JsonNode stats,
      int pages,
      UnreadReasons reasons,
      int dropped,
      List<String> read) {

    Consultation {
      reasons = reasons == null ? UnreadReasons.NONE : reasons;
      read = read == null ? List.of() : List.copyOf(read);
    }

    /** This one and that of a later round. */
    Consultation plus(Consultation later, int mostEvidence) {
      return new Consultation(
          Evidence.strongest(joined(evidence, later.evidence), mostEvidence),
          analysts + later.analysts,
          joined(unread, later.unread),
          RunStats.fromJson(stats).plus(RunStats.fromJson(later.stats)).toJson(),
          pages + later.pages,
          reasons.plus(later.reasons),
          dropped + later.dropped,
          joined(read, later.read));
    }

    private static <T> List<T> joined(List<T> first, List<T> second) {
      return Stream.concat(first.stream(), second.stream()).distinct().toList();
    }

    /**
     * What an analyst found.
     *
     * @param unread the pages that no model answered for
     * @param reasons why not
     * @param dropped how many quotes stand nowhere in what the model was shown
     */
    record Findings(
        List<Evidence> evidence, List<String> unread, UnreadReasons reasons, int dropped) {

      Findings {
        reasons = reasons == null ? UnreadReasons.NONE : reasons;
      }
    }
  }
}
