package dev.colony.bench.plan;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentRun;
import dev.colony.agent.Blueprint;
import dev.colony.agent.CapabilityBlueprint;
import dev.colony.bench.load.Figures;
import dev.colony.library.planning.CacheAwareActionPolicy;
import dev.colony.library.planning.PlanArgs;
import dev.colony.library.policy.MinimalActionPolicy;
import dev.colony.library.policy.PlannerArgs;
import dev.colony.testkit.FakeModel;
import dev.colony.testkit.TestAgent;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.function.BiConsumer;

/**
 * Model calls until the same tasks are finished, by an agent with a plan and by one that asks after
 * what its last reply named, of a model that knows what is to be done. In every fourth task an
 * action fails and another takes its place.
 *
 * @param planned calls of {@code colony.cache-aware}; it makes no difference to it how many tools a
 *     model calls in one reply, since a plan is one call of a tool
 * @param oneTool calls of {@code colony.minimal}, of a model that calls one tool in each reply
 * @param severalTools calls of {@code colony.minimal}, of a model that calls all that it can
 *     foresee in one reply, the end included
 */
public record CallFigures(int tasks, int actions, int planned, int oneTool, int severalTools) {

  /** The most, beside a model that calls one tool in each reply. */
  public static final double ASKED = 0.6;

  private static final int SEED = 5;
  private static final int LEAST_ACTIONS = 2;
  private static final int MORE_ACTIONS = 6;
  private static final int FAILING = 4;

  /**
   * What is to be done.
   *
   * @param actions how many papers are written, one after the other
   * @param fails the first attempt at which of them fails; negative for none
   */
  private record Task(int actions, int fails) {

    static Task of(int number, Random random) {
      int actions = LEAST_ACTIONS + random.nextInt(MORE_ACTIONS);
      return new Task(actions, number % FAILING == FAILING - 1 ? random.nextInt(actions) : -1);
    }

    /** The keys and parameters of the actions from one on, in turn. */
    List<Object> calls(int from, int to, boolean again) {
      List<Object> calls = new ArrayList<>();
      for (int at = from; at < to; at++) {
        boolean tears = at == fails && !again;
        calls.add(tears ? PlanTypes.Desk.TEAR : PlanTypes.Desk.WRITE);
        calls.add(text(at));
      }
      return calls;
    }

    static ObjectNode text(int at) {
      return JsonNodeFactory.instance.objectNode().put("text", "paper " + at);
    }

    ObjectNode plan(int from, int to, boolean again) {
      ObjectNode plan = JsonNodeFactory.instance.objectNode().put("result", "done");
      for (int at = from; at < to; at++) {
        ObjectNode action = plan.withArray("actions").addObject().put("name", "p" + at);
        action.put("action", at == fails && !again ? PlanTypes.Desk.TEAR : PlanTypes.Desk.WRITE);
        action.set("parameters", text(at));
        if (at > 0) {
          action.putArray("after").add("p" + (at - 1));
        }
      }
      return plan;
    }
  }

  static CallFigures measure(PlanLoad load) {
    Random random = new Random(SEED);
    List<Task> tasks = new ArrayList<>();
    for (int number = 0; number < load.tasks(); number++) {
      tasks.add(Task.of(number, random));
    }
    Blueprint plans = Blueprint.bind(CacheAwareActionPolicy.class, PlanArgs.NONE);
    Blueprint minimal = Blueprint.bind(MinimalActionPolicy.class, PlannerArgs.NONE);
    return new CallFigures(
        tasks.size(),
        tasks.stream().mapToInt(Task::actions).sum(),
        calls(tasks, plans, CallFigures::planned),
        calls(tasks, minimal, CallFigures::oneTool),
        calls(tasks, minimal, CallFigures::severalTools));
  }

  private static void planned(Task task, FakeModel model) {
    model.expect().calls("plan", task.plan(0, task.actions(), false));
    if (task.fails() >= 0) {
      ObjectNode instead = task.plan(task.fails(), task.fails() + 1, true).put("mode", "add");
      model.expect().calls("plan", instead);
    }
  }

  private static void oneTool(Task task, FakeModel model) {
    List<Object> calls = task.calls(0, task.actions(), false);
    if (task.fails() >= 0) {
      calls.addAll(2 * task.fails() + 2, task.calls(task.fails(), task.fails() + 1, true));
    }
    for (int at = 0; at < calls.size(); at += 2) {
      model.expect().calls(calls.get(at), calls.get(at + 1));
    }
    model.expect().complete("done");
  }

  private static void severalTools(Task task, FakeModel model) {
    model.expect().calls(ending(task.calls(0, task.actions(), false)));
    if (task.fails() >= 0) {
      model.expect().calls(ending(task.calls(task.fails(), task.actions(), true)));
    }
  }

  private static Object[] ending(List<Object> calls) {
    calls.add("complete");
    calls.add(JsonNodeFactory.instance.objectNode().put("result", "done"));
    return calls.toArray();
  }

  /** How often the model was asked until all tasks were finished. */
  private static int calls(List<Task> tasks, Blueprint policy, BiConsumer<Task, FakeModel> script) {
    int calls = 0;
    for (Task task : tasks) {
      try (FakeModel model = FakeModel.start();
          TestAgent agent =
              TestAgent.of(
                      AgentBlueprint.of(policy)
                          .capability(CapabilityBlueprint.of(Blueprint.of(PlanTypes.Desk.TYPE))))
                  .model(model)
                  .start()) {
        script.accept(task, model);
        AgentRun run = agent.run("Write %d papers".formatted(task.actions()));
        run.error()
            .ifPresent(why -> {
              throw new IllegalStateException("a task is not finished: " + why);
            });
        calls += model.count();
      }
    }
    return calls;
  }

  private double ratio(int others) {
    return (double) planned / others;
  }

  private double perTask(int calls) {
    return (double) calls / tasks;
  }

  ObjectNode toJson() {
    return JsonNodeFactory.instance
        .objectNode()
        .put("tasks", tasks)
        .put("actions", actions)
        .put("planned", planned)
        .put("oneTool", oneTool)
        .put("severalTools", severalTools)
        .put("ratioToOneTool", Figures.rounded(ratio(oneTool)))
        .put("ratioToSeveralTools", Figures.rounded(ratio(severalTools)))
        .put("asked", ASKED);
  }

  String toText() {
    return String.format(
        Locale.ROOT,
        """
        model calls a task, of %,d tasks of %.1f actions
          with a plan                  %.2f
          minimal, one tool a reply    %.2f: the plan takes %.2f of it; at most %.2f is asked
          minimal, several a reply     %.2f: the plan takes %.2f of it\
        """,
        tasks,
        (double) actions / tasks,
        perTask(planned),
        perTask(oneTool),
        ratio(oneTool),
        ASKED,
        perTask(severalTools),
        ratio(severalTools));
  }
}
