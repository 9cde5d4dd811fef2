package dev.colony.examples.coordinator;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.CapabilityBlueprint;
import dev.colony.agent.RunId;
import dev.colony.agent.RunOptions;
import dev.colony.agent.author.ActionContext;
import dev.colony.agent.author.ActionExecutor;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.AgentCapability.CapabilityContext;
import dev.colony.agent.author.EventHandler;
import dev.colony.agent.author.Param;
import dev.colony.agent.author.Registered;
import dev.colony.agent.client.Children;
import dev.colony.blackboard.Query;
import dev.colony.library.policy.ScriptedActionPolicy;
import dev.colony.library.policy.ScriptedRule;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Gives texts to workers, hears of their results and puts them together. */
@Registered(value = "example.texts", summary = "Has texts counted by workers.")
public final class TextsCapability extends AgentCapability {

  static final String RESULTS = "result:";
  static final String FAILURES = "failure:";

  private static final String WORK = "work";

  /** What a worker found. */
  public record Result(int number, Map<String, Long> words) {}

  /** Why a worker found nothing. */
  public record Failure(int number, String reason) {}

  public TextsCapability(CapabilityContext context) {
    super(context);
  }

  @EventHandler(pattern = RESULTS + "*", contextKey = "worker_result")
  Result onResult(Result result) {
    return result;
  }

  @EventHandler(pattern = FAILURES + "*", contextKey = "worker_failed")
  Failure onFailure(Failure failure) {
    return failure;
  }

  @ActionExecutor(summary = "Gives each text to a worker of its own.")
  int assign(@Param("the texts") List<String> texts, ActionContext context) {
    for (int i = 0; i < texts.size(); i++) {
      agent()
          .children()
          .spawn(worker(context, i), workers(), Children.OnParentStop.STOP)
          .run(
              JsonNodeFactory.instance.objectNode().put("text", texts.get(i)).put("number", i),
              RunOptions.namespace(WORK)
                  .runId(new RunId(context.request().runId() + "." + i))
                  .requestedBy(agent().id().persistenceId()));
    }
    return texts.size();
  }

  @ActionExecutor(summary = "Adds up what the workers have found.")
  Map<String, Long> synthesize() {
    Map<String, Long> sum = new TreeMap<>();
    blackboard()
        .query(Query.keys(RESULTS + "*"))
        .toCompletableFuture()
        .join()
        .entries()
        .forEach(result -> add(result.value().path("words"), sum));
    return sum;
  }

  @ActionExecutor(key = "finalize", summary = "Sends the workers home.")
  int sendHome() {
    List<Children.Child> workers = agent().children().list();
    workers.forEach(worker -> agent().children().cancel(worker.id()));
    return workers.size();
  }

  private static void add(JsonNode words, Map<String, Long> sum) {
    words
        .properties()
        .forEach(word -> sum.merge(word.getKey(), word.getValue().asLong(), Long::sum));
  }

  private static String worker(ActionContext context, int number) {
    return context.agent().id().name() + "-" + context.request().runId() + "-" + number;
  }

  /** An agent without a model: it counts, and that is all. */
  private AgentBlueprint workers() {
    return AgentBlueprint.of(
            ScriptedActionPolicy.class,
            ScriptedActionPolicy.Script.of(
                ScriptedRule.first()
                    .act("example.words.count", "text", "$text", "number", "$number"),
                ScriptedRule.otherwise().complete("counted")))
        .capability(CapabilityBlueprint.of(WordsCapability.class).scope(scope()));
  }
}
