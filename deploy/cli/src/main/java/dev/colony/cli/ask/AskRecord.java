package dev.colony.cli.ask;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.Blueprint;
import dev.colony.agent.RunBudget.TraceBudget;
import dev.colony.agent.RunId;
import dev.colony.agent.author.ActionPolicyIO;
import dev.colony.agent.author.JsonValues;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.Write;
import dev.colony.cli.ask.AskReport.Amount;
import dev.colony.code.CodeGenerationActionPolicy;
import dev.colony.library.plan.CacheAwareActionPolicy;
import dev.colony.library.plan.PlanArgs;
import dev.colony.library.policy.MinimalActionPolicy;
import dev.colony.library.policy.PlannerArgs;
import dev.colony.library.research.Answer;
import dev.colony.library.research.Question;
import dev.colony.library.research.Question.Exchange;
import dev.colony.library.research.ResearchTypes;
import dev.colony.server.node.NodeOptions.LeftWork;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * What must be known to come back to a run from another process; kept on the blackboard.
 *
 * @param source the tree that was asked about, for people
 * @param pages how many pages it was mapped to
 * @param leftOut how many of its files are on none of them, by reason
 * @param startedWith what its cluster was started with
 * @param policy what decides for its coordinator
 * @param follows the run that it goes on from; empty for none
 * @param earlier what was asked and answered before, the oldest first
 * @param budget what its model calls may take; empty where it has no bound of its own
 * @param answered what it was answered; empty as long as it is not known
 * @param failed how often it failed and was asked from its beginning again
 */
public record AskRecord(
    String runId,
    String question,
    String source,
    String map,
    int pages,
    Map<String, Integer> leftOut,
    long startedMillis,
    AskRecord.StartedWith startedWith,
    AskPolicy policy,
    Optional<String> follows,
    List<Exchange> earlier,
    Optional<TraceBudget> budget,
    Optional<Exchange> answered,
    int failed) {

  private static final Pattern AGAIN = Pattern.compile("~\\d+$");

  public AskRecord {
    leftOut =
        leftOut == null ? Map.of() : Collections.unmodifiableMap(new LinkedHashMap<>(leftOut));
    policy = policy == null ? AskPolicy.RESEARCH : policy;
    follows = follows == null ? Optional.empty() : follows;
    earlier = earlier == null ? List.of() : List.copyOf(earlier);
    budget = budget == null ? Optional.empty() : budget;
    answered = answered == null ? Optional.empty() : answered;
  }

  /**
   * What a cluster is started with, but for the key of its model server, which is not stored.
   *
   * @param modelUrl empty for the embedded replicas
   * @param model the name of the model that was set; empty for the first that the server lists
   * @param served which model answers, for people; empty where that is not recorded
   * @param config the file of settings that was given; empty for none
   * @param lone whether the cluster is the run's own: elsewhere the run waits until it is resumed
   */
  public record StartedWith(
      String modelUrl,
      String model,
      int nodes,
      Optional<String> served,
      String config,
      Boolean lone) {

    public StartedWith {
      served = served == null ? Optional.empty() : served;
      config = config == null ? "" : config;
      lone = lone != null && lone;
    }

    /** The same on a cluster that is up. */
    public StartedWith shared() {
      return new StartedWith(modelUrl, model, nodes, served, config, false);
    }
  }

  /** The run of its coordinator: another one where an earlier one has failed. */
  public RunId asked() {
    return new RunId(failed == 0 ? runId : runId + "~" + failed);
  }

  /** The coordinator of a run: one an agent, so that runs do not wait for each other. */
  AgentId coordinator() {
    return Asking.coordinator(asked());
  }

  /** To be asked from its beginning. */
  AskRecord again() {
    return with(startedWith, answered, failed + 1);
  }

  /** What its coordinator is asked: where a model decides, what goals can refer to. */
  JsonNode input() {
    ObjectNode input = (ObjectNode) JsonValues.toJson(new Question(question, map, earlier));
    return policy.planned() ? input.put("question", question) : input;
  }

  public AskRecord startedWith(StartedWith other) {
    return with(other, answered, failed);
  }

  AskRecord answered(Answer answer) {
    return with(startedWith, Optional.of(Exchange.of(question, answer)), failed);
  }

  private AskRecord with(StartedWith cluster, Optional<Exchange> exchange, int times) {
    return new AskRecord(
        runId,
        question,
        source,
        map,
        pages,
        leftOut,
        startedMillis,
        cluster,
        policy,
        follows,
        earlier,
        budget,
        exchange,
        times);
  }

  /** What a question that follows it knows: the newest of its exchanges, its own the last. */
  public List<Exchange> exchanges(int most) {
    List<Exchange> all = new ArrayList<>(earlier);
    answered.ifPresent(all::add);
    return List.copyOf(all.subList(Math.max(0, all.size() - most), all.size()));
  }

  /** Stores it, in place of what was stored of the run before. */
  public void save(Blackboards blackboards) {
    board(blackboards).write(Write.of(runId, JsonValues.toJson(this))).toCompletableFuture().join();
  }

  public static Optional<AskRecord> find(Blackboards blackboards, RunId runId) {
    return board(blackboards)
        .read(AGAIN.matcher(runId.value()).replaceFirst(""))
        .toCompletableFuture()
        .join()
        .map(entry -> (AskRecord) JsonValues.read(entry.value(), AskRecord.class));
  }

  private static boolean lone(AgentId coordinator, Blackboards blackboards) {
    RunId run = new RunId(coordinator.name().substring(Asking.COORDINATOR.length()));
    return find(blackboards, run).map(AskRecord::startedWith).filter(StartedWith::lone).isPresent();
  }

  private static Blackboard board(Blackboards blackboards) {
    return blackboards.open(
        Scope.colony(Asking.TENANT, Asking.COLONY).namespace("asked"), Asking.WRITER);
  }

  /**
   * Which runs that were interrupted wait: one whose cluster was its own goes on when it is resumed
   * and not before, so that it takes no call from a question that is asked meanwhile, and none from
   * a model server that it was not asked of.
   */
  public interface LeftRuns {

    /** In a cluster for one run this one goes on; where it has not begun, nothing that is left. */
    static LeftWork of(RunId run) {
      AgentId own = Asking.coordinator(run);
      return (left, blackboards) ->
          left.contains(own)
              ? those(left, agent -> named(agent, Asking.COORDINATOR) && !agent.equals(own))
              : Set.copyOf(left);
    }

    /**
     * In a cluster that is up: all goes on but the runs of clusters of their own. Analysts do not
     * say for whom they work: they wait where no other question is left.
     */
    static LeftWork ofLone() {
      return (left, blackboards) -> {
        Set<AgentId> questions = those(left, agent -> named(agent, Asking.COORDINATOR));
        Set<AgentId> lone = those(questions, agent -> lone(agent, blackboards));
        return lone.isEmpty() || lone.size() < questions.size()
            ? lone
            : those(left, agent -> lone.contains(agent) || named(agent, "analyst-"));
      };
    }

    private static boolean named(AgentId agent, String beginning) {
      return agent.equals(new AgentId(Asking.TENANT, Asking.COLONY, agent.name()))
          && agent.name().startsWith(beginning);
    }

    private static Set<AgentId> those(Set<AgentId> agents, Predicate<AgentId> which) {
      return agents.stream().filter(which).collect(Collectors.toUnmodifiableSet());
    }
  }

  /** What decides which actions the coordinator of a run takes. */
  public enum AskPolicy {
    /** Fixed steps: search, have the model choose places, and answer from their lines. */
    READ,
    /** Fixed steps: find the analysts of whole pages, ask them, compose the answer. */
    RESEARCH,
    /** A model, one action at a time. */
    MINIMAL,
    /** A model that makes a plan. */
    CACHE_AWARE,
    /** A model that writes cells of code. */
    CODE;

    private static final String ROLE =
        "You coordinate analysts that answer questions about a source tree.";
    private static final String[] GOALS = {
      "Find the analysts whose pages can answer the question",
      "Ask the analysts all at once",
      "Compose the answer from what the analysts have found"
    };
    private static final String RESULT =
        "The result is what composing the answer gave, as it is: refer to it";

    /** What decides where nothing is named. */
    public static AskPolicy usual(boolean model) {
      return model ? READ : RESEARCH;
    }

    boolean planned() {
      return this != READ && this != RESEARCH;
    }

    public String word() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /**
     * The policy of that name.
     *
     * @throws IllegalArgumentException on one line, if there is none
     */
    public static AskPolicy of(String word) {
      return Arrays.stream(values())
          .filter(one -> one.word().equals(word))
          .findAny()
          .orElseThrow(() ->
              new IllegalArgumentException(
                  "a policy is %s, not: %s"
                      .formatted(
                          Arrays.stream(values())
                              .map(AskPolicy::word)
                              .collect(Collectors.joining(", ")),
                          word)));
    }

    AgentBlueprint coordinator() {
      // Made here: a command reads the name of a policy before it has a log.
      ActionPolicyIO io =
          ActionPolicyIO.builder()
              .output("answer", String.class)
              .output("citations", JsonNodeFactory.instance.objectNode().put("type", "array"))
              .build();
      PlannerArgs planner = PlannerArgs.NONE.role(ROLE).goals(GOALS).constraints(RESULT).io(io);
      return switch (this) {
        case READ -> ResearchTypes.reader();
        case RESEARCH -> ResearchTypes.coordinator();
        case MINIMAL ->
            ResearchTypes.coordinator(Blueprint.bind(MinimalActionPolicy.class, planner));
        case CACHE_AWARE ->
            ResearchTypes.coordinator(
                Blueprint.bind(CacheAwareActionPolicy.class, PlanArgs.NONE.planner(planner)));
        case CODE ->
            ResearchTypes.coordinator(
                Blueprint.bind(
                    CodeGenerationActionPolicy.class,
                    CodeGenerationActionPolicy.Args.NONE.planner(planner)));
      };
    }
  }

  /**
   * What a run may take, as it is written on the command line: exactly one of the bounds.
   *
   * @param tokens of prompts and replies, cached ones included
   * @param cost in the unit of the prices
   * @param time from when the run is asked for
   */
  public record AskBudget(
      Optional<Long> tokens, Optional<BigDecimal> cost, Optional<Duration> time) {

    private static final Pattern FORM =
        Pattern.compile("(\\$?)(\\d{1,12}(?:\\.\\d{1,9})?)\\s*([a-zA-Z]{0,3})");

    /**
     * Reads {@code 5000}, {@code 200k} or {@code 2M} tokens, {@code 1.50usd} or {@code $1.50} of
     * money, whose currency is for people, and {@code 90s}, {@code 5m} or {@code 1h} of time.
     *
     * @throws IllegalArgumentException on one line, if it is none
     */
    public static AskBudget of(String word) {
      Matcher form = FORM.matcher(word.strip());
      if (!form.matches()) {
        throw refused(word);
      }
      BigDecimal number = new BigDecimal(form.group(2));
      String unit = form.group(3);
      if (number.signum() == 0 || !form.group(1).isEmpty() && !unit.isEmpty()) {
        throw refused(word);
      }
      if (!form.group(1).isEmpty() || unit.length() == 3) {
        return new AskBudget(Optional.empty(), Optional.of(number), Optional.empty());
      }
      return switch (unit) {
        case "" -> tokens(word, number, 1);
        case "k", "K" -> tokens(word, number, 1_000);
        case "M" -> tokens(word, number, 1_000_000);
        case "s" -> time(number, 1_000);
        case "m" -> time(number, 60_000);
        case "h" -> time(number, 3_600_000);
        default -> throw refused(word);
      };
    }

    private static AskBudget tokens(String word, BigDecimal number, long times) {
      BigDecimal tokens = number.multiply(BigDecimal.valueOf(times)).stripTrailingZeros();
      if (tokens.scale() > 0) {
        throw refused(word);
      }
      return new AskBudget(
          Optional.of(tokens.longValueExact()), Optional.empty(), Optional.empty());
    }

    private static AskBudget time(BigDecimal number, long millis) {
      long whole = number.multiply(BigDecimal.valueOf(millis)).longValue();
      return new AskBudget(
          Optional.empty(), Optional.empty(), Optional.of(Duration.ofMillis(Math.max(1, whole))));
    }

    private static IllegalArgumentException refused(String word) {
      return new IllegalArgumentException(
          "a budget is tokens as in 200k, money as in 1.50usd, or time as in 5m, not: " + word);
    }

    TraceBudget from(Instant now) {
      return new TraceBudget(tokens, cost, time.map(now::plus));
    }

    static String of(TraceBudget budget) {
      return budget
          .tokens()
          .map(most -> Amount.tokens(most) + " tokens")
          .or(() -> budget.cost().map(most -> "a cost of " + most.toPlainString()))
          .orElseGet(() ->
              budget
                  .until()
                  .map(end ->
                      "the time until "
                          + String.format(
                              Locale.ROOT, "%tT", end.atZone(java.time.ZoneId.systemDefault())))
                  .orElse("no bound"));
    }
  }
}
