package dev.colony.agent.client;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.Blueprint;
import dev.colony.agent.BlueprintBinder;
import dev.colony.agent.CapabilityBlueprint;
import dev.colony.agent.StreamBlueprint;
import dev.colony.agent.author.ActionExecutor;
import dev.colony.agent.stream.ConsciousnessStream;
import dev.colony.inference.ModelChoice;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Agents in a line: a model that picks tools until a goal is reached. What needs more, such as
 * another policy, capabilities or budgets, takes a {@link AgentBlueprint}, which {@link
 * Definition#blueprint} is a start of.
 *
 * <pre>{@code
 * colony.spawn(Agents.named("glossary").tools(new Glossary()).goal("Explain the word"));
 * }</pre>
 */
public final class Agents {

  /** The tenant and the colony of an agent that is named by its name only. */
  public static final String USUAL = "default";

  /** The registered name of the policy that asks a model for one action at a time. */
  private static final String POLICY = "colony.minimal";

  /** The registered name of hooks that are code of the program. */
  public static final String HOOKS = "program.hooks";

  /** The registered name of the parts of a stream that is code of the program. */
  public static final String STREAM = "program.stream";

  private Agents() {}

  /**
   * An agent without tools or goals.
   *
   * @param name its name, of tenant and colony {@value #USUAL}, or {@code tenant/colony/name}
   * @throws IllegalArgumentException if no agent has such a name
   */
  public static Definition named(String name) {
    return new Definition(
        id(name), Optional.empty(), List.of(), Map.of(), ModelChoice.DEFAULT, List.of(), List.of());
  }

  static AgentId id(String name) {
    return name.indexOf('/') < 0 ? new AgentId(USUAL, USUAL, name) : AgentId.parse(name);
  }

  /**
   * An agent as a program describes it. Immutable; the methods named after a component return a
   * changed copy.
   *
   * @param role who the agent is and how it works, in the second person; empty for nothing of it
   * @param goals that stand before what a run asks for
   * @param tools objects with {@link ActionExecutor} methods, by the keys of their capabilities
   * @param model that answers its calls
   * @param hooks code of this program around what the agent does
   * @param streams of which formatter and filters are code of this program
   */
  public record Definition(
      AgentId id,
      Optional<String> role,
      List<String> goals,
      Map<String, Object> tools,
      ModelChoice model,
      List<Object> hooks,
      List<ConsciousnessStream> streams) {

    public Definition {
      goals = List.copyOf(goals);
      tools = Collections.unmodifiableMap(new LinkedHashMap<>(tools));
      hooks = List.copyOf(hooks);
      streams = List.copyOf(streams);
    }

    /** The same in another role: {@code "You explain the words of seafaring."}. */
    public Definition role(String text) {
      return new Definition(id, Optional.of(text), goals, tools, model, hooks, streams);
    }

    /** The same with one more goal. */
    public Definition goal(String text) {
      List<String> more = new ArrayList<>(goals);
      more.add(text);
      return new Definition(id, role, more, tools, model, hooks, streams);
    }

    /**
     * The same with the tools of more objects: their {@link ActionExecutor} methods, whose
     * parameters are the components of one record, or named by {@link
     * dev.colony.agent.author.Param}. The actions of {@code new Glossary()} are named {@code
     * glossary.look_up} and so on.
     *
     * <p>In a {@link Colony#local} these very objects are called, by several threads where an agent
     * does several things at once. Any other node makes an object of the same class, of its own
     * class path: a record by its components, another class by its constructor without arguments.
     *
     * @throws IllegalArgumentException on one line, if an object has no such method or one that
     *     cannot be called with JSON
     */
    public Definition tools(Object... objects) {
      Map<String, Object> more = new LinkedHashMap<>(tools);
      for (Object object : objects) {
        BlueprintBinder.installed().tools(object);
        String key = key(object.getClass());
        int number = 2;
        String free = key;
        while (more.containsKey(free)) {
          free = key + number++;
        }
        more.put(free, object);
      }
      return new Definition(id, role, goals, more, model, hooks, streams);
    }

    /** The same, whose calls another model answers. */
    public Definition model(ModelChoice choice) {
      return new Definition(id, role, goals, tools, choice, hooks, streams);
    }

    /**
     * The same with more hooks, each a {@link dev.colony.agent.author.AgentHook} of a name of its
     * own, whose code may be a lambda or a method of this program. They work in a {@link
     * Colony#local} of this program only: any other node refuses the agent in one line, since code
     * does not travel. A capability with {@link dev.colony.agent.author.Hook} methods does, by its
     * registered name.
     *
     * @throws IllegalArgumentException on one line, if one is no hook or two have one name
     */
    public Definition hooks(Object... more) {
      List<Object> all = new ArrayList<>(hooks);
      all.addAll(List.of(more));
      BlueprintBinder.installed().hooks(all);
      return new Definition(id, role, goals, tools, model, all, streams);
    }

    /**
     * The same with a stream of another name, whose formatter and filters may be lambdas or methods
     * of this program. As for {@link #hooks}, code does not travel; registered formatters and
     * filters do, in a {@link AgentBlueprint#stream}.
     */
    public Definition stream(ConsciousnessStream stream) {
      List<ConsciousnessStream> more = new ArrayList<>(streams);
      more.add(stream);
      return new Definition(id, role, goals, tools, model, hooks, more);
    }

    /** What of it travels: all but the objects themselves. */
    public AgentBlueprint blueprint() {
      ObjectNode args = JsonNodeFactory.instance.objectNode();
      role.ifPresent(text -> args.put("role", text));
      if (!goals.isEmpty()) {
        goals.forEach(args.putArray("goals")::add);
      }
      AgentBlueprint blueprint = AgentBlueprint.of(new Blueprint(POLICY, args)).model(model);
      for (CapabilityBlueprint capability : capabilities().keySet()) {
        blueprint = blueprint.capability(capability);
      }
      for (StreamBlueprint stream : streamed().keySet()) {
        blueprint = blueprint.stream(stream);
      }
      return blueprint;
    }

    /** Its capabilities, each with the object that it stands for. */
    public Map<CapabilityBlueprint, Object> capabilities() {
      Map<CapabilityBlueprint, Object> all = new LinkedHashMap<>();
      tools.forEach((key, object) ->
          all.put(
              CapabilityBlueprint.of(BlueprintBinder.installed().tools(object)).key(key), object));
      if (!hooks.isEmpty()) {
        all.put(CapabilityBlueprint.of(BlueprintBinder.installed().hooks(hooks)).key(HOOKS), hooks);
      }
      return all;
    }

    /** Its streams, each with the one that it stands for. */
    public Map<StreamBlueprint, ConsciousnessStream> streamed() {
      Blueprint part = Blueprint.of(STREAM);
      Map<StreamBlueprint, ConsciousnessStream> all = new LinkedHashMap<>();
      for (ConsciousnessStream one : streams) {
        Map<String, Blueprint> kinds = new LinkedHashMap<>();
        one.filters().keySet().forEach(kind -> kinds.put(kind, part));
        all.put(new StreamBlueprint(one.name(), part, kinds, one.maxEntries()), one);
      }
      return all;
    }

    private static String key(Class<?> type) {
      return type.getSimpleName()
          .replaceAll("(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_")
          .toLowerCase(Locale.ROOT);
    }
  }
}
