package dev.colony.library.context;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.AgentException;
import dev.colony.agent.Blueprint;
import dev.colony.agent.CapabilityBlueprint;
import dev.colony.agent.ExecutionContext;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.author.ActionExecutor;
import dev.colony.agent.author.ActionExecutor.IdempotencyKey;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.AgentCapability.CapabilityContext;
import dev.colony.agent.author.AgentHook.HookContext;
import dev.colony.agent.author.Hook;
import dev.colony.agent.author.Hookable;
import dev.colony.agent.author.Param;
import dev.colony.agent.author.Param.Range;
import dev.colony.agent.author.Registered;
import dev.colony.blackboard.value.Text;
import dev.colony.library.context.Memory.Note;
import dev.colony.library.context.Memory.Recall;
import dev.colony.library.context.Salience.Relevance;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.IntStream;

/**
 * What an agent remembers. It writes, reads and searches its memories by itself, what it does is
 * remembered by a hook, and a prompt is given what comes to mind by {@link #recall}. The memories
 * stand on the blackboard and outlive the agent's time in memory.
 *
 * <p>{@link #store} and {@link #recall} are join points. Thread-safe; calls block until the
 * blackboard has answered.
 */
@Registered(
    value = "memory",
    namespace = MemoryCapability.NAMESPACE,
    summary = "Remembers what happened, and finds it again by words, tags and time.")
public class MemoryCapability extends AgentCapability {

  /** The kind of the memories of what the agent has done. */
  public static final String OF_ACTION = ActionMemory.KIND;

  /** The part of an agent's scope in which its memories stand. */
  static final String NAMESPACE = "memory";

  private static final String WRITE = "memory_write";
  private static final String READ = "memory_read";
  private static final String SEARCH = "memory_search";
  private static final String RECALL = "memory_recall";
  private static final String FORGET = "memory_forget";

  /** To remember that one has remembered would drown the rest. */
  private static final Set<String> OWN = Set.of(WRITE, READ, SEARCH, RECALL, FORGET);

  private static final double USUAL_IMPORTANCE = 0.5;
  private static final int MOST_FOUND = 50;

  private final MemoryArgs args;
  private final MemoryStore memories;
  private final InstantSource clock;

  public MemoryCapability(CapabilityContext context, MemoryArgs args) {
    super(context);
    this.args = args;
    this.memories = new MemoryStore(context.blackboard());
    this.clock = context.blackboard().clock();
  }

  /** A memory in the agent's own scope, in the namespace {@code memory}. */
  public static CapabilityBlueprint bind() {
    return bind(MemoryArgs.DEFAULT);
  }

  public static CapabilityBlueprint bind(MemoryArgs args) {
    return CapabilityBlueprint.of(Blueprint.bind(MemoryCapability.class, args))
        .namespace(NAMESPACE);
  }

  /**
   * Remembers something, once for each id. Afterwards there are no more than {@code maxEntries}
   * memories, unless others are storing at the same moment.
   *
   * @return what is remembered under that id, which may have been there before
   */
  @Hookable
  public Memory store(Note note) {
    Memory stored =
        memories.store(note, Text.line(note.text(), args.maxTextChars()), clock.instant());
    if (memories.count() > args.maxEntries()) {
      forgetTheLeastSalient(stored.id());
    }
    return stored;
  }

  /** Makes room for a while, so that not every memory costs a look at all of them. */
  private void forgetTheLeastSalient(String butNot) {
    List<Memory> ranked = args.salience().rank(memories.all(Set.of()), "", clock.instant());
    int kept = args.maxEntries() - (args.maxEntries() - 1) / 20;
    List<Memory> forgettable =
        ranked.stream().filter(memory -> !memory.id().equals(butNot)).toList();
    if (ranked.size() > args.maxEntries()) {
      forgettable
          .subList(Math.max(0, kept - 1), forgettable.size())
          .forEach(memory -> memories.forget(memory.id()));
    }
  }

  /** What comes to mind, the oldest first. */
  @Hookable
  public List<Memory> recall(Recall how) {
    List<Memory> all = memories.all(Set.of());
    return switch (how.by()) {
      case EPISODE -> all.subList(Math.max(0, all.size() - how.window()), all.size());
      case SALIENCE -> {
        Instant now = clock.instant();
        List<Memory> salient =
            args.salience().rank(all, how.about(), now).stream().limit(how.window()).toList();
        memories.access(salient, now);
        yield salient.stream().sorted(Comparator.comparingLong(Memory::turn)).toList();
      }
    };
  }

  /** What comes to mind as lines for a prompt, the oldest first: {@code [turn NNN][kind] text}. */
  public List<String> lines(Recall how) {
    return recall(how).stream().map(Memory::line).toList();
  }

  /** What is recalled where no number is asked for. */
  public int window() {
    return args.window();
  }

  @ActionExecutor(key = WRITE, summary = "Remembers something for later.", tags = "memory")
  Memory write(
      @Param("what to remember, one or two sentences") String text,
      @Param("words to find it by; at most 16") Optional<List<String>> tags,
      @Param("how much it matters, 0 to 1; by default 0.5") @Range(min = 0, max = 1)
          Optional<Double> importance,
      IdempotencyKey key) {
    return store(
        new Note(
            ActionMemory.id(key.value()),
            "note",
            text,
            Set.copyOf(tags.orElse(List.of())),
            importance.orElse(USUAL_IMPORTANCE)));
  }

  @ActionExecutor(key = READ, summary = "Gives one memory by its id.", tags = "memory")
  Memory read(@Param("the id, as a search gives it") String id) {
    return memories.read(id).orElseThrow(() -> AgentException.refused("there is no memory " + id));
  }

  @ActionExecutor(
      key = SEARCH,
      summary = "Finds memories by words, tags and time. All that is asked for holds at once.",
      tags = "memory")
  List<Memory> search(
      @Param("words; the memories that share most with them come first") Optional<String> text,
      @Param("tags that a memory must carry, every one") Optional<List<String>> tags,
      @Param("only what was stored at this time or later") Optional<Instant> since,
      @Param("only what was stored before this time") Optional<Instant> until,
      @Param("how many at most; by default 10") @Range(min = 1, max = MOST_FOUND)
          Optional<Integer> limit) {
    Optional<String> words = text.filter(said -> !said.isBlank());
    if (words.isEmpty() && tags.orElse(List.of()).isEmpty() && since.isEmpty() && until.isEmpty()) {
      throw AgentException.refused(
          SEARCH + " needs `text`, words to look for, or else `tags`, `since` or `until`");
    }
    List<Memory> fitting =
        memories.all(Set.copyOf(tags.orElse(List.of()))).stream()
            .filter(memory -> since.map(from -> !memory.at().isBefore(from)).orElse(true))
            .filter(memory -> until.map(to -> memory.at().isBefore(to)).orElse(true))
            .toList();
    return words.map(some -> relevant(fitting, some)).orElseGet(fitting::reversed).stream()
        .limit(Math.clamp(limit.orElse(10), 1, MOST_FOUND))
        .toList();
  }

  /** Those that share a word with the text, the most relevant first and the newest of equals. */
  private static List<Memory> relevant(List<Memory> fitting, String words) {
    double[] relevance = new Relevance(fitting.stream().map(Memory::text).toList()).to(words);
    return IntStream.range(0, relevance.length)
        .boxed()
        .filter(i -> relevance[i] > 0)
        .sorted(
            Comparator.<Integer>comparingDouble(i -> -relevance[i])
                .thenComparing(Comparator.<Integer>reverseOrder()))
        .map(fitting::get)
        .toList();
  }

  @ActionExecutor(
      key = RECALL,
      summary = "Gives what comes to mind about something, as lines for a prompt.",
      excludeFromPlanning = true)
  List<String> recallLines(
      @Param("what about; by default the newest memories") Optional<String> about,
      @Param("how many at most") @Range(min = 1, max = 1000) Optional<Integer> limit) {
    int most = limit.orElse(args.window());
    return lines(about.map(what -> Recall.salient(what, most)).orElse(Recall.episodic(most)));
  }

  @ActionExecutor(key = FORGET, summary = "Forgets one memory.", excludeFromPlanning = true)
  boolean forget(@Param("the id") String id) {
    return memories.forget(id);
  }

  /** Remembers what the agent has done; once for each action, however often it is dispatched. */
  @Hook(after = "ActionDispatcher.dispatch", onError = Hook.OnError.SUPPRESS)
  void remember(HookContext call, ActionResult result) {
    if (args.remembersActions()
        && call.arguments().getFirst() instanceof Action action
        && !OWN.contains(action.key())) {
      store(ActionMemory.of(call.agent().context(), action, result));
    }
  }

  /**
   * How an agent remembers.
   *
   * @param maxEntries how many memories it has; with one more, the least salient go, a twentieth at
   *     once. Each recall reads all of them
   * @param maxTextChars of one memory; a longer text is cut
   * @param window how many memories a recall gives that asks for no number
   * @param remembersActions whether what the agent does is remembered by itself
   * @param salience what is recalled first and forgotten last
   */
  public record MemoryArgs(
      @Range(min = 1, max = 100_000) int maxEntries,
      @Range(min = 16, max = 100_000) int maxTextChars,
      @Range(min = 1, max = 1000) int window,
      boolean remembersActions,
      Salience salience) {

    /** A thousand memories of 500 characters, eight at a time, all actions among them. */
    public static final MemoryArgs DEFAULT = new MemoryArgs(1000, 500, 8, true, Salience.DEFAULT);

    public MemoryArgs {
      check("maxEntries", maxEntries, 1, 100_000);
      check("maxTextChars", maxTextChars, 16, 100_000);
      check("window", window, 1, 1000);
      Objects.requireNonNull(salience, "salience");
    }

    public MemoryArgs maxEntries(int most) {
      return new MemoryArgs(most, maxTextChars, window, remembersActions, salience);
    }

    public MemoryArgs maxTextChars(int most) {
      return new MemoryArgs(maxEntries, most, window, remembersActions, salience);
    }

    public MemoryArgs window(int memories) {
      return new MemoryArgs(maxEntries, maxTextChars, memories, remembersActions, salience);
    }

    public MemoryArgs remembersActions(boolean whether) {
      return new MemoryArgs(maxEntries, maxTextChars, window, whether, salience);
    }

    public MemoryArgs salience(Salience other) {
      return new MemoryArgs(maxEntries, maxTextChars, window, remembersActions, other);
    }

    private static void check(String name, int value, int least, int most) {
      if (value < least || value > most) {
        throw new IllegalArgumentException(
            name + " is " + value + ", but must be " + least + " to " + most);
      }
    }
  }

  /** What is remembered of an action: what was done with what, and what came of it. */
  static final class ActionMemory {

    /** The kind of such memories, and a tag that they carry. */
    static final String KIND = "action";

    private static final double SUCCESS = 0.3;

    /** What went wrong is worth remembering longer than what went as planned. */
    private static final double FAILURE = 0.6;

    private ActionMemory() {}

    /** The same note for every execution of one action. */
    static Note of(ExecutionContext context, Action action, ActionResult result) {
      String outcome = result.status().name().toLowerCase(Locale.ROOT);
      String came = result.success() ? text(result.output()) : outcome + ": " + result.error();
      return new Note(
          id(context.run() + "/" + action.actionId()),
          KIND,
          action.key() + " " + action.params() + " -> " + came,
          action.key().length() <= 128
              ? Set.of(KIND, outcome, action.key())
              : Set.of(KIND, outcome),
          result.success() ? SUCCESS : FAILURE);
    }

    /** A name that may stand in a key, the same for the same text. */
    static String id(String text) {
      return UUID.nameUUIDFromBytes(text.getBytes(StandardCharsets.UTF_8)).toString();
    }

    private static String text(JsonNode output) {
      return output.isTextual() ? output.textValue() : output.toString();
    }
  }
}
