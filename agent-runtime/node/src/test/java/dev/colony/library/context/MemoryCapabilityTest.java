package dev.colony.library.context;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.colony.agent.AgentException;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.author.ActionExecutor.IdempotencyKey;
import dev.colony.agent.author.AgentHook;
import dev.colony.blackboard.Blackboards;
import dev.colony.core.capability.CapabilityType;
import dev.colony.core.registry.AgentTypes;
import dev.colony.library.context.ContextBuilder.ContextRequest;
import dev.colony.library.context.Memory.Note;
import dev.colony.library.context.Memory.Recall;
import dev.colony.library.context.MemoryCapability.MemoryArgs;
import dev.colony.testkit.board.InMemoryBlackboards;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What an agent remembers of what it does, and what comes to mind again. */
class MemoryCapabilityTest {

  private final Blackboards blackboards = new InMemoryBlackboards();
  private Remembering agent;

  @BeforeEach
  void begin() throws Exception {
    agent = new Remembering(blackboards, MemoryArgs.DEFAULT);
  }

  @AfterEach
  void close() {
    blackboards.close();
  }

  private static Action check(String id) {
    return Action.of(id, "review.check", Remembering.json(Map.of("page", "p" + id)));
  }

  private static Note note(String id, String text, double importance, String... tags) {
    return new Note(id, "note", text, Set.of(tags), importance);
  }

  private static List<String> texts(List<Memory> memories) {
    return memories.stream().map(Memory::text).toList();
  }

  @Test
  void whatTheAgentDoesIsRemembered() throws Exception {
    agent.dispatch(check("1"), ActionResult.succeeded("1", Remembering.json("two findings")));
    agent.dispatch(check("2"), ActionResult.failed("2", "no such page"));
    assertThat(agent.memory().lines(Recall.episodic(8)))
        .containsExactly(
            "[turn 001][action] review.check {\"page\":\"p1\"} -> two findings",
            "[turn 002][action] review.check {\"page\":\"p2\"} -> failed: no such page");
  }

  @Test
  void anActionIsRememberedOnceHoweverOftenItIsDispatched() throws Exception {
    ActionResult result = ActionResult.succeeded("1", Remembering.json("done"));
    agent.dispatch(check("1"), result);
    agent.dispatch(check("1"), result);
    new Remembering(blackboards, MemoryArgs.DEFAULT).dispatch(check("1"), result);
    assertThat(agent.memory().recall(Recall.episodic(8))).hasSize(1);
    agent.run("r2").dispatch(check("1"), result);
    assertThat(agent.memory().recall(Recall.episodic(8))).hasSize(2);
  }

  @Test
  void whatMemoryDoesIsNotRemembered() throws Exception {
    agent.dispatch(
        Action.of("1", "memory_search", null),
        ActionResult.succeeded("1", Remembering.json(List.of())));
    assertThat(agent.memory().recall(Recall.episodic(8))).isEmpty();
  }

  @Test
  void anAgentMayDoWithoutRememberingActions() throws Exception {
    Remembering other = new Remembering(blackboards, MemoryArgs.DEFAULT.remembersActions(false));
    other.dispatch(check("1"), ActionResult.succeeded("1", Remembering.json("done")));
    assertThat(other.memory().recall(Recall.episodic(8))).isEmpty();
  }

  @Test
  void anActionSucceedsThoughItCannotBeRemembered() throws Exception {
    ActionResult result = ActionResult.succeeded("1", Remembering.json("done"));
    blackboards.close();
    assertThat(agent.dispatch(check("1"), result)).isEqualTo(result);
  }

  @Test
  void anotherInstanceRemembersToo() throws Exception {
    agent.memory().store(note("a", "the key is under the mat", 0.5));
    assertThat(
            texts(
                new Remembering(blackboards, MemoryArgs.DEFAULT)
                    .memory()
                    .recall(Recall.episodic(1))))
        .containsExactly("the key is under the mat");
  }

  @Test
  void storingAndRecallingAreJoinPointsWhoeverCallsThem() {
    List<String> seen = new ArrayList<>();
    agent
        .hooks()
        .add(AgentHook.before("watch", "MemoryCapability.*", call -> seen.add(call.joinPoint())));
    agent
        .memory()
        .write("by an action", Optional.empty(), Optional.empty(), new IdempotencyKey("k1"));
    agent.memory().lines(Recall.episodic(8));
    assertThat(seen).containsExactly("MemoryCapability.store", "MemoryCapability.recall");
  }

  @Test
  void episodesAreTheNewestInTheirOrder() {
    for (int i = 1; i <= 12; i++) {
      agent.memory().store(note("m" + i, "event " + i, 0.5));
    }
    assertThat(texts(agent.memory().recall(Recall.episodic(3))))
        .containsExactly("event 10", "event 11", "event 12");
    assertThat(agent.memory().recallLines(Optional.empty(), Optional.empty())).hasSize(8);
  }

  @Test
  void whatIsSalientComesToMindOldestFirst() {
    agent.memory().store(note("a", "the bridge was closed for repairs", 0.9));
    for (int i = 1; i <= 20; i++) {
      agent.memory().store(note("m" + i, "a gull flew by, number " + i, 0.1));
    }
    agent.memory().store(note("b", "the ferry replaces the bridge", 0.5));
    List<Memory> salient = agent.memory().recall(Recall.salient("when does the bridge open?", 2));
    assertThat(texts(salient))
        .containsExactly("the bridge was closed for repairs", "the ferry replaces the bridge");
  }

  @Test
  void whatCameToMindIsFreshAgain() {
    Memory stored = agent.memory().store(note("a", "the bridge", 0.5));
    agent.memory().recall(Recall.salient("bridge", 1));
    Memory accessed = agent.memory().read("a");
    assertThat(accessed.accessedAt()).isAfterOrEqualTo(stored.accessedAt());
    assertThat(accessed.at()).isEqualTo(stored.at());
    assertThat(accessed.turn()).isEqualTo(stored.turn());
  }

  @Test
  void aSearchNarrowsByWordsTagsAndTime() {
    Instant begin = Instant.now();
    agent.memory().store(note("a", "The auth module checks tokens", 0.5, "auth", "code"));
    agent.memory().store(note("b", "The billing module rounds up", 0.5, "billing", "code"));
    agent.memory().store(note("c", "Tokens expire at midnight", 0.5, "auth"));
    assertThat(texts(search("token", null, null, null)))
        .containsExactlyInAnyOrder("The auth module checks tokens", "Tokens expire at midnight");
    assertThat(texts(search(null, List.of("auth"), null, null)))
        .containsExactly("Tokens expire at midnight", "The auth module checks tokens");
    assertThat(texts(search("tokens", List.of("auth", "code"), null, null)))
        .containsExactly("The auth module checks tokens");
    assertThat(search(null, null, begin, null)).hasSize(3);
    assertThat(search(null, null, null, begin)).isEmpty();
    assertThat(search(null, null, begin.plus(Duration.ofDays(1)), null)).isEmpty();
    assertThat(search("unicorns", null, null, null)).isEmpty();
    for (String none : new String[] {null, "", "  "}) {
      assertThatThrownBy(() -> search(none, null, null, null))
          .isInstanceOf(AgentException.class)
          .hasMessage(
              "memory_search needs `text`, words to look for, or else `tags`, `since` or `until`");
    }
    assertThat(texts(search("", List.of("auth"), null, null))).isNotEmpty();
  }

  private List<Memory> search(String text, List<String> tags, Instant since, Instant until) {
    return agent
        .memory()
        .search(
            Optional.ofNullable(text),
            Optional.ofNullable(tags),
            Optional.ofNullable(since),
            Optional.ofNullable(until),
            Optional.empty());
  }

  @Test
  void aMemoryIsReadAndForgottenByItsId() {
    Memory written =
        agent
            .memory()
            .write(
                "two\n\nlines",
                Optional.of(List.of("tag")),
                Optional.of(1.0),
                new IdempotencyKey("k1"));
    assertThat(agent.memory().read(written.id()).text()).isEqualTo("two lines");
    assertThat(agent.memory().forget(written.id())).isTrue();
    assertThat(agent.memory().forget(written.id())).isFalse();
    assertThatThrownBy(() -> agent.memory().read(written.id()))
        .isInstanceOf(AgentException.class)
        .hasMessageContaining(written.id());
  }

  @Test
  void aWriteThatIsExecutedAgainIsOneMemory() {
    for (int i = 0; i < 3; i++) {
      agent.memory().write("once", Optional.empty(), Optional.empty(), new IdempotencyKey("k1"));
    }
    assertThat(agent.memory().recall(Recall.episodic(8))).hasSize(1);
  }

  @Test
  void aLongMemoryIsCut() throws Exception {
    agent.dispatch(
        check("1"), ActionResult.succeeded("1", Remembering.json("x".repeat(1_000_000))));
    assertThat(agent.memory().recall(Recall.episodic(1)).getFirst().text())
        .hasSize(500)
        .endsWith("x...");
  }

  @Test
  void theLeastSalientGo() throws Exception {
    Remembering small = new Remembering(blackboards, MemoryArgs.DEFAULT.maxEntries(40));
    small.memory().store(note("first", "it all began with a bridge", 1));
    for (int i = 1; i <= 200; i++) {
      Memory stored = small.memory().store(note("m" + i, "a gull, number " + i, 0));
      List<Memory> all = small.memory().recall(Recall.episodic(1000));
      assertThat(all).hasSizeLessThanOrEqualTo(40).contains(stored);
    }
    assertThat(small.memory().recall(Recall.episodic(1000)))
        .hasSizeGreaterThan(36)
        .extracting(Memory::id)
        .startsWith("first");
  }

  @Test
  void whatWasJustStoredStaysHoweverLittleItMatters() throws Exception {
    MemoryArgs few = MemoryArgs.DEFAULT.maxEntries(10).salience(new Salience(0, 1, 0, 1));
    MemoryCapability small = new Remembering(blackboards, few).memory();
    for (int i = 1; i <= 10; i++) {
      small.store(note("m" + i, "matters", 1));
    }
    Memory last = small.store(note("last", "hardly matters", 0));
    assertThat(small.recall(Recall.episodic(1000))).hasSize(10).contains(last);
  }

  @Test
  void plannersSeeThreeOfTheActions() {
    assertThat(CapabilityType.of(MemoryCapability.class).actions("memory", Duration.ofMinutes(1)))
        .filteredOn(action -> action.planned())
        .extracting(action -> action.key())
        .containsExactlyInAnyOrder("memory_write", "memory_read", "memory_search");
  }

  @Test
  void whatComesToMindGoesIntoThePrompt() {
    agent.memory().store(note("a", "the bridge was closed for repairs", 0.9));
    ContextBuilder builder = ContextBuilder.of(ContextRole.worker(), AgentTypes.installed());
    String prompt =
        builder
            .build(
                ContextRequest.of("ada", "You are Ada.", StageProjection.empty(10))
                    .memory(agent.memory().lines(Recall.salient("bridge", 8))))
            .text();
    assertThat(prompt)
        .contains(
            "YOUR MEMORY (what you have lived through, the oldest first)\n"
                + "[turn 001][note] the bridge was closed for repairs");
  }
}
