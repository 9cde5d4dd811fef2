package dev.colony.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import com.typesafe.config.ConfigFactory;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.ReplyPart;
import dev.colony.agent.RunId;
import dev.colony.agent.RunOptions;
import dev.colony.agent.RunProgress;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.Colony;
import dev.colony.agent.client.RunHandle;
import dev.colony.agent.client.RunHandle.OnEach;
import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.settings.Settings;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What the events of a run promise to their subscribers, wherever the holder of the handle is,
 * whichever the blackboard and the transport.
 */
public abstract class FollowingContract {

  /** About how many events a scope keeps here. */
  public static final int KEPT = 200;

  /** How many requests may wait for one agent here. */
  public static final int MOST_WAITING = 20;

  static final BlackboardSettings SETTINGS =
      BlackboardSettings.DEFAULTS
          .withEvents(new BlackboardSettings.Events(KEPT, KEPT, 1 << 20))
          .withInbox(
              new BlackboardSettings.Inbox(
                  MOST_WAITING, 20_000, 50_000, 1_000, Duration.ofDays(1)));

  static final ClientSettings CLIENT =
      Settings.read(
          ClientSettings.class,
          ConfigFactory.parseString("colony.agent.client.poll = 100ms")
              .withFallback(ConfigFactory.load()));

  static final RunOptions OPTIONS = RunOptions.namespace(PlayedAgent.NAMESPACE);
  static final JsonNode INPUT = TextNode.valueOf("do it");

  AgentId id;
  AgentHandle agent;
  PlayedAgent played;

  /** The blackboard as the cluster reaches it. */
  protected abstract Blackboards cluster();

  /** The agents as the holder of the handle reaches them. */
  protected abstract Colony colony(AgentId id);

  @BeforeEach
  void fresh() {
    id = new AgentId("acme", "handles", "a-" + UUID.randomUUID());
    agent = colony(id).agent(id);
    played = new PlayedAgent(id, cluster());
  }

  @Test
  void aStreamBringsEachEventOnceAndEndsWithTheEnd() throws Exception {
    RunHandle run = asked();
    Follower follower = Follower.of(run.events());
    played.emit(run.runId(), "step", 1);
    played.emit(run.runId(), "step", 2);
    played.emit(new RunId("other"), "step", 9);
    played.emit(run.runId(), "found", 3);
    played.complete(run.runId(), INPUT);
    List<RunProgress> seen = follower.ended().seen;
    assertThat(follower.names()).containsExactly("step", "step", "found", "completed");
    assertThat(seen.subList(0, 3))
        .extracting(event -> event.data().asInt())
        .containsExactly(1, 2, 3);
    assertThat(seen).extracting(RunProgress::token).doesNotHaveDuplicates();
    assertThat(seen.subList(0, 3)).allMatch(event -> event.end().isEmpty());
    AgentRun end = seen.getLast().end().orElseThrow();
    assertThat(end).isEqualTo(get(run.result()));
    assertThat(AgentRun.fromJson(seen.getLast().data())).isEqualTo(end);
  }

  @Test
  void whoComesLateOrComesBackGetsTheRest() throws Exception {
    RunHandle run = asked();
    for (int i = 0; i < 5; i++) {
      played.emit(run.runId(), "step", i);
    }
    played.complete(run.runId(), INPUT);
    List<RunProgress> all = Follower.of(attached(run).events()).ended().seen;
    assertThat(all).hasSize(6);
    for (int had = 0; had < all.size(); had++) {
      Follower again = Follower.of(attached(run).events(all.get(had).token()));
      assertThat(again.ended().seen).isEqualTo(all.subList(had + 1, all.size()));
    }
    assertThat(Follower.of(attached(run).retained()).ended().seen).isEqualTo(all);
  }

  @Test
  void demandIsHonoured() throws Exception {
    RunHandle run = asked();
    Follower follower = Follower.slow(run.events());
    played.emit(run.runId(), "one", 1);
    played.emit(run.runId(), "two", 2);
    played.complete(run.runId(), INPUT);
    follower.request(1);
    await().until(() -> follower.seen.size() == 1);
    follower.request(1);
    await().until(() -> follower.seen.size() == 2);
    assertThat(follower.isDone()).isFalse();
    follower.request(1);
    assertThat(follower.ended().names()).containsExactly("one", "two", "completed");
    Follower greedy = Follower.slow(attached(run).events());
    greedy.request(0);
    assertThat(greedy.failure()).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aTokenOfAnotherRunIsRefused() throws Exception {
    RunHandle run = asked();
    played.emit(run.runId(), "one", 1);
    played.complete(run.runId(), INPUT);
    String token = Follower.of(run.events()).ended().seen.getFirst().token();
    RunHandle other = asked();
    assertThatThrownBy(() -> other.events(token))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(other.runId().value());
    assertThatThrownBy(() -> run.events("1-2-3.abc")).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> run.events("")).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aRunWhoseResultIsNoLongerInTheStreamCompletes() throws Exception {
    RunHandle run = asked();
    played.complete(run.runId(), INPUT);
    trim();
    assertThat(Follower.of(attached(run).events()).ended().names()).containsExactly("completed");
    assertThat(get(attached(run).result()).output()).isEqualTo(INPUT);
    assertThat(Follower.of(attached(run).retained()).ended().names()).containsExactly("completed");
  }

  @Test
  void whoHasHadAllEventsMissesNothingWhenTheyGo() throws Exception {
    RunHandle run = asked();
    played.emit(run.runId(), "one", 1);
    Follower follower = Follower.slow(run.events());
    follower.request(1);
    await().until(() -> follower.seen.size() == 1);
    String token = follower.seen.getFirst().token();
    trim();
    played.complete(run.runId(), INPUT);
    assertThat(Follower.of(attached(run).events(token)).ended().names())
        .containsExactly("completed");
    trim();
    assertThat(Follower.of(attached(run).events(token)).ended().names())
        .containsExactly("completed");
    follower.request(1);
    assertThat(follower.ended().names()).containsExactly("one", "completed");
  }

  @Test
  void othersEventsThatWentAreNotMissed() throws Exception {
    RunHandle run = asked();
    trim();
    played.emit(run.runId(), "one", 1);
    played.complete(run.runId(), INPUT);
    assertThat(Follower.of(attached(run).events()).ended().names())
        .containsExactly("one", "completed");
  }

  @Test
  void eventsThatWentAreMissedAndCounted() throws Exception {
    RunHandle run = asked();
    for (int i = 0; i < 4; i++) {
      played.emit(run.runId(), "step", i);
    }
    List<String> tokens =
        Follower.of(attached(run).events()).seenAtLeast(4).stream()
            .map(RunProgress::token)
            .toList();
    trim();
    played.emit(run.runId(), "step", 4);
    played.complete(run.runId(), INPUT);
    missing(4, attached(run).events());
    missing(2, attached(run).events(tokens.get(1)));
    assertThat(Follower.of(attached(run).events(tokens.get(3))).ended().names())
        .containsExactly("step", "completed");
    List<RunProgress> rest = Follower.of(attached(run).retained()).ended().seen;
    assertThat(rest).extracting(RunProgress::name).containsExactly("step", "completed");
    assertThat(Follower.of(attached(run).events(rest.getFirst().token())).ended().names())
        .containsExactly("completed");
    trim();
    missing(5, attached(run).events());
    assertThat(Follower.of(attached(run).retained()).ended().names()).containsExactly("completed");
    assertThat(Follower.of(attached(run).events(rest.getLast().token())).ended().names()).isEmpty();
  }

  @Test
  void aRunThatEventsStartedIsFollowedWithoutARequest() throws Exception {
    PlayedAgent woken = new PlayedAgent(id, cluster(), "woken");
    RunOptions options = RunOptions.namespace("woken");
    RunHandle run = agent.attach(new RunId("woken-1"), options);
    Follower follower = Follower.of(run.events());
    woken.emit(run.runId(), "one", 1);
    woken.complete(run.runId(), INPUT);
    assertThat(follower.ended().names()).containsExactly("one", "completed");
    assertThat(get(run.result()).output()).isEqualTo(INPUT);
  }

  @Test
  void partsOfAnswersComeAsTheyAreGivenAndEndWithTheRun() {
    RunHandle run = asked();
    RunHandle other = asked();
    List<ReplyPart> seen = new CopyOnWriteArrayList<>();
    CompletableFuture<Void> end = OnEach.of(attached(run).parts(), seen::add);
    ReplyTopics replies = new ReplyTopics(cluster().topics());
    String trace = run.runId().value();
    AgentId child = new AgentId(id.tenant(), id.colony(), id.name() + "-child");
    RunId set = new RunId("set-" + trace);
    await().until(() -> replies.heard(id, run.runId(), trace) && replies.heard(child, set, trace));
    assertThat(replies.heard(id, other.runId(), other.runId().value())).isFalse();

    ReplyPart one = part(id, run.runId(), ReplyPart.Kind.TEXT, "Bonjour, ");
    ReplyPart more = part(id, run.runId(), ReplyPart.Kind.TEXT, "\ud83d\udc4b!\n").from(9);
    ReplyPart ofChild = part(child, set, ReplyPart.Kind.REASONING, "Hm");
    replies.publish(one, trace);
    replies.publish(part(id, other.runId(), ReplyPart.Kind.TEXT, "other"), "other");
    replies.publish(ofChild, trace);
    replies.publish(more, trace);
    await().until(() -> seen.size() == 3);
    assertThat(seen).containsExactly(one, ofChild, more);
    assertThat(end).isNotDone();
    played.complete(run.runId(), INPUT);
    get(end);
    assertThat(seen).hasSize(3);
    get(OnEach.of(attached(run).parts(), seen::add));
    assertThat(seen).hasSize(3);
  }

  static ReplyPart part(AgentId agent, RunId run, ReplyPart.Kind kind, String text) {
    return new ReplyPart(agent, run, "call", Instant.EPOCH, "m", false, kind, 0, text);
  }

  RunHandle asked() {
    RunHandle run = agent.run(INPUT, OPTIONS);
    get(run.stored());
    return run;
  }

  /** The run as another process comes back to it. */
  RunHandle attached(RunHandle run) {
    return colony(id).agent(id).attach(run.runId(), OPTIONS);
  }

  /** Has all events go that were stored until now. */
  private void trim() {
    played.stir(3 * KEPT);
  }

  private static void missing(int count, Flow.Publisher<RunProgress> events) throws Exception {
    Follower follower = Follower.of(events);
    assertThat(follower.failure())
        .isInstanceOf(BlackboardException.class)
        .hasMessageStartingWith(count + " events of run ")
        .matches(lost ->
            ((BlackboardException) lost).reason() == BlackboardException.Reason.EVENTS_LOST);
    assertThat(follower.seen).isEmpty();
  }

  static <T> T get(CompletionStage<T> stage) {
    try {
      return stage.toCompletableFuture().get(30, TimeUnit.SECONDS);
    } catch (ExecutionException failure) {
      if (failure.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      throw new AssertionError(failure);
    } catch (Exception failure) {
      throw new AssertionError(failure);
    }
  }
}
