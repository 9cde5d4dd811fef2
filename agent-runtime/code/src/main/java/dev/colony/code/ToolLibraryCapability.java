package dev.colony.code;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentException;
import dev.colony.agent.CapabilityBlueprint;
import dev.colony.agent.action.ActionDescription;
import dev.colony.agent.action.ActionType.Effect;
import dev.colony.agent.author.ActionContext;
import dev.colony.agent.author.ActionProvider;
import dev.colony.agent.author.ActionProvider.ActionSource;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.AgentCapability.CapabilityContext;
import dev.colony.agent.author.JsonSchemaCheck;
import dev.colony.agent.author.JsonSchemas;
import dev.colony.agent.author.JsonValues;
import dev.colony.agent.author.Param;
import dev.colony.agent.author.Registered;
import dev.colony.blackboard.Await;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.WriteResult;
import dev.colony.blackboard.value.Text;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CancellationException;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Lets a planner define functions in JavaScript that are actions from its next iteration on. A
 * function is kept only if it gives the results of the examples that come with it; it is executed
 * in the node's {@link Sandbox}. The library is one entry of the capability's scope, {@code tools}:
 * later runs find it on any node, and agents that share the scope share it.
 *
 * <p>Where the blueprint has a definition approved by a person, they are asked only for a function
 * that passes its examples.
 */
@Registered(
    value = "code.tools",
    summary = "Functions in JavaScript that you define, test with examples and call as actions.")
public final class ToolLibraryCapability extends AgentCapability implements ActionSource {

  /** Tools in a library. */
  static final int MOST_TOOLS = 32;

  private static final String TOOLS = "tools";
  private static final int ATTEMPTS = 3;
  private static final int SHOWN_CHARS = 60;

  /** Of a definition with all its examples, which the sandbox bounds one by one. */
  private static final Duration LONGEST = Duration.ofMinutes(10);

  /** What is done with the library itself. */
  private enum Change {
    DEFINE_TOOL(CodeTool.class, "Defines a function as an action of yours for later steps."),
    REPLACE_TOOL(
        CodeTool.class,
        "Replaces a function that you defined. It has to pass the examples of the old one too."),
    REMOVE_TOOL(Named.class, "Removes a function that you defined."),
    SHOW_TOOL(Named.class, "Shows the code and the examples of a function that you defined.");

    private static final Set<String> NAMES =
        Arrays.stream(values()).map(Change::word).collect(Collectors.toCollection(TreeSet::new));

    private final Class<?> type;
    private final String summary;

    Change(Class<?> type, String summary) {
      this.type = type;
      this.summary = summary;
    }

    String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  record Named(@Param("the function's name, without a prefix") String name) {}

  record Library(List<CodeTool> tools) {

    Optional<CodeTool> named(String name) {
      return tools.stream().filter(tool -> tool.name().equals(name)).findFirst();
    }

    /** Without the tool of a name, and with this one in its place or at the end. */
    Library with(String name, Optional<CodeTool> tool) {
      List<CodeTool> all = new ArrayList<>(tools);
      int at = named(name).map(tools::indexOf).orElse(all.size());
      all.removeIf(one -> one.name().equals(name));
      tool.ifPresent(one -> all.add(at, one));
      return new Library(all);
    }
  }

  private final Sandbox sandbox;
  private final String prefix;
  private volatile Library known = new Library(List.of());

  /**
   * @throws AgentException if the node has no {@link Sandbox}
   */
  public ToolLibraryCapability(CapabilityContext context) {
    super(context);
    this.sandbox = context.owner().service(Sandbox.class);
    this.prefix = capabilityKey() + ".";
  }

  /** Under the key {@code tools}, in the agent's own scope, in the namespace {@code tools}. */
  public static CapabilityBlueprint bind() {
    return CapabilityBlueprint.of(ToolLibraryCapability.class).key(TOOLS).namespace(TOOLS);
  }

  @Override
  public ActionProvider actions() {
    return new Actions();
  }

  private Optional<Entry> entry() {
    return Await.result(blackboard().read(TOOLS));
  }

  private static Library library(Optional<Entry> entry) {
    return entry.map(found -> found.as(Library.class)).orElse(new Library(List.of()));
  }

  private final class Actions implements ActionProvider {

    @Override
    public String name() {
      return capabilityKey();
    }

    @Override
    public String summary() {
      return ToolLibraryCapability.class.getAnnotation(Registered.class).summary();
    }

    @Override
    public boolean changing() {
      return true;
    }

    @Override
    public List<ActionDescription> actions() {
      known = library(entry());
      return Stream.concat(
              Arrays.stream(Change.values())
                  .map(one -> action(one.word(), one.summary, JsonSchemas.input(one.type))),
              known.tools().stream()
                  .map(tool -> action(tool.name(), tool.description(), tool.parameters())))
          .toList();
    }

    private ActionDescription action(String name, String summary, JsonNode parameters) {
      return new ActionDescription(
          prefix + name,
          capabilityKey(),
          summary,
          Set.of(TOOLS),
          parameters,
          JsonNodeFactory.instance.objectNode(),
          List.of(),
          List.of(),
          true,
          Effect.INTERNAL,
          true,
          false,
          false,
          LONGEST);
    }

    /** Another agent may have changed the library meanwhile. */
    @Override
    public int attempts(String key) {
      return ATTEMPTS;
    }

    @Override
    public List<String> violations(String key, JsonNode params) {
      Optional<Change> change = change(key);
      if (change.isEmpty()) {
        return tool(key).violations(params);
      }
      List<String> wrong =
          JsonSchemaCheck.of(JsonSchemas.input(change.get().type)).violations(params);
      return !wrong.isEmpty() || !approved(key) || change.get().type != CodeTool.class
          ? wrong
          : refusal(change.get(), read(params, CodeTool.class), library(entry())).stream().toList();
    }

    private boolean approved(String key) {
      return agent().blueprint().capabilities().stream()
          .anyMatch(one ->
              one.capabilityKey().equals(capabilityKey()) && one.approveActions().contains(key));
    }

    @Override
    public Object execute(String key, ObjectNode params, ActionContext context) throws Exception {
      Optional<Change> change = change(key);
      if (change.isEmpty()) {
        return tool(key).call(sandbox, params);
      }
      Optional<Entry> entry = entry();
      return switch (change.get()) {
        case DEFINE_TOOL, REPLACE_TOOL -> defined(change.get(), params, entry);
        case REMOVE_TOOL -> {
          String name = read(params, Named.class).name();
          if (library(entry).named(name).isPresent()) {
            store(library(entry).with(name, Optional.empty()), entry);
          }
          yield Map.of("removed", prefix + name);
        }
        case SHOW_TOOL -> present(library(entry), read(params, Named.class).name());
      };
    }
  }

  private Object defined(Change change, JsonNode params, Optional<Entry> entry) {
    CodeTool tool = read(params, CodeTool.class);
    Library library = library(entry);
    refusal(change, tool, library)
        .ifPresent(why -> {
          throw AgentException.refused(why);
        });
    CodeTool whole = library.named(tool.name()).map(tool::inPlaceOf).orElse(tool);
    store(library.with(tool.name(), Optional.of(whole)), entry);
    return Map.of("action", prefix + tool.name(), "from", "the next step on");
  }

  /** Why a tool is not kept; empty if it passes all examples. Blocks until these are executed. */
  private Optional<String> refusal(Change change, CodeTool tool, Library library) {
    Optional<CodeTool> before = library.named(tool.name());
    // What a crash had cut off is done again.
    if (before.filter(tool::equals).isPresent()) {
      return Optional.empty();
    }
    if (change == Change.DEFINE_TOOL && before.isPresent()) {
      return Optional.of(
          "there is a tool %s already: replace_tool replaces it".formatted(tool.name()));
    }
    if (change == Change.DEFINE_TOOL && library.tools().size() >= MOST_TOOLS) {
      return Optional.of(
          "there are %d tools, and no more are kept: remove_tool removes one"
              .formatted(MOST_TOOLS));
    }
    if (change == Change.REPLACE_TOOL) {
      present(library, tool.name());
    }
    CodeTool whole = before.map(tool::inPlaceOf).orElse(tool);
    Optional<String> fault = whole.fault(Change.NAMES);
    try {
      return fault.isPresent() ? fault : whole.failing(sandbox);
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      throw new CancellationException("interrupted while examples were executed");
    } catch (RuntimeException failure) {
      throw failure;
    } catch (Exception failure) {
      throw new AgentException(Text.message(failure), failure, true);
    }
  }

  private void store(Library library, Optional<Entry> before) {
    Write write = Write.value(TOOLS, library).expectVersion(before.map(Entry::version).orElse(0L));
    if (Await.result(blackboard().write(write)) instanceof WriteResult.VersionConflict) {
      throw new AgentException("another agent has changed the tools meanwhile", null, true);
    }
  }

  private Optional<Change> change(String key) {
    return Arrays.stream(Change.values())
        .filter(one -> key.equals(prefix + one.word()))
        .findFirst();
  }

  private CodeTool tool(String key) {
    return present(known, key.substring(prefix.length()));
  }

  private static CodeTool present(Library library, String name) {
    return library
        .named(name)
        .orElseThrow(() ->
            AgentException.refused(
                "there is no tool %s, only %s"
                    .formatted(
                        Text.line(name, SHOWN_CHARS),
                        library.tools().stream().map(CodeTool::name).toList())));
  }

  private static <T> T read(JsonNode params, Class<T> type) {
    return type.cast(JsonValues.read(params, type));
  }
}
