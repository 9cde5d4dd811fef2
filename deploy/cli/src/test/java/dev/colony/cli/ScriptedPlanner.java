package dev.colony.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.cli.ScriptedModel.Call;
import dev.colony.inference.RecordingModelServer.Reply;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * What a model plans for the agents of these tests. An agent with a memory stores what its goal
 * quotes, or finds it, and completes with what came of that. The coordinator of a run finds its
 * analysts, asks them and composes the answer: by one action after the other, by a plan, or by a
 * cell of code, as its policy asks for.
 */
final class ScriptedPlanner {

  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
  private static final Pattern QUOTED = Pattern.compile("\"([^\"]+)\"");
  private static final Pattern DONE = Pattern.compile("(?m)^- (\\S+): `[^`]+` .* -> ([a-z ]+): ");

  private final Call call;

  private ScriptedPlanner(Call call) {
    this.call = call;
  }

  static Reply reply(Call call) {
    ScriptedPlanner planner = new ScriptedPlanner(call);
    if (call.offers("run_cell")) {
      return calling("run_cell", JSON.objectNode().put("code", planner.cell()));
    }
    if (call.offers("plan")) {
      return calling("plan", planner.plan());
    }
    return planner.next();
  }

  /** One action, or the end: with the result of the last one, or as failed where that has. */
  private Reply next() {
    List<MatchResult> done = DONE.matcher(call.said()).results().toList();
    if (!done.isEmpty() && !done.getLast().group(2).equals("succeeded")) {
      return calling("fail", JSON.objectNode().put("reason", "an action has not succeeded"));
    }
    String last = done.isEmpty() ? "" : "$results." + done.getLast().group(1);
    if (call.offers(action("route"))) {
      return switch (done.size()) {
        case 0 -> calling(action("route"), route());
        case 1 -> calling(action("consult"), consult(last));
        case 2 -> calling(action("compose"), compose(last));
        default -> completing(last);
      };
    }
    if (!done.isEmpty()) {
      return completing(last);
    }
    String goal = call.under("Goals");
    String quoted = QUOTED.matcher(goal).results().findFirst().orElseThrow().group(1);
    String action = goal.contains("Find ") ? "memory_search" : "memory_write";
    return calling(action, JSON.objectNode().put("text", quoted));
  }

  private ObjectNode plan() {
    ObjectNode plan = JSON.objectNode();
    add(plan, "route", route());
    add(plan, "consult", consult("$results.route"));
    add(plan, "compose", compose("$results.consult"));
    return plan.put("result", "$results.compose");
  }

  private static void add(ObjectNode plan, String name, ObjectNode parameters) {
    ObjectNode one = plan.withArray("/actions").addObject();
    one.put("name", name).put("action", action(name)).set("parameters", parameters);
  }

  private String cell() {
    return """
    const routes = %s(%s)
    const found = %s({question: %s, routes: routes})
    complete(%s({question: %s, found: found}))
    """
        .formatted(
            function("route"),
            route(),
            function("consult"),
            JSON.textNode(input("question")),
            function("compose"),
            JSON.textNode(input("question")));
  }

  /** By which a cell calls an action, as the prompt has it. */
  private String function(String of) {
    return Pattern.compile("\\w+\\." + of + "(?=\\()")
        .matcher(call.said())
        .results()
        .findFirst()
        .orElseThrow(() -> new AssertionError("no function " + of + " in: " + call.said()))
        .group();
  }

  private ObjectNode route() {
    return JSON.objectNode().put("text", input("text")).put("map", input("map"));
  }

  private ObjectNode consult(String routes) {
    return JSON.objectNode().put("question", input("question")).put("routes", routes);
  }

  private ObjectNode compose(String found) {
    return JSON.objectNode().put("question", input("question")).put("found", found);
  }

  private static String action(String of) {
    return "research_analysts_" + of;
  }

  /** What the run was given under this name. */
  private String input(String name) {
    return call.under("Input")
        .lines()
        .filter(line -> line.startsWith("- " + name + ": "))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no input " + name + " in: " + call.said()))
        .substring(name.length() + 4);
  }

  private static Reply completing(String result) {
    return calling("complete", JSON.objectNode().put("result", result));
  }

  /** A reply that calls a tool. */
  static Reply calling(String tool, ObjectNode arguments) {
    ObjectNode reply = (ObjectNode) Reply.answer("").json();
    ObjectNode choice = (ObjectNode) reply.at("/choices/0");
    choice.put("finish_reason", "tool_calls");
    ObjectNode made = ((ObjectNode) choice.get("message")).putArray("tool_calls").addObject();
    made.put("id", "call-1").put("type", "function");
    made.putObject("function").put("name", tool).put("arguments", arguments.toString());
    return Reply.status(200, reply.toString());
  }
}
