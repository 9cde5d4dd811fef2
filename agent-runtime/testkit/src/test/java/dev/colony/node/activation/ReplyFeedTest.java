package dev.colony.node.activation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.AgentId;
import dev.colony.agent.ReplyPart;
import dev.colony.agent.RunId;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.Topics;
import dev.colony.client.ReplyTopics;
import dev.colony.client.wire.WireJson;
import dev.colony.inference.InferenceDelta;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** What is sent of an answer while it comes, to whom, and how often. */
class ReplyFeedTest {

  private static final AgentId AGENT = new AgentId("acme", "lab", "ann");
  private static final Duration NEVER = Duration.ofHours(1);

  private final List<ReplyPart> sent = new CopyOnWriteArrayList<>();
  private final AtomicLong clock = new AtomicLong();
  private volatile boolean heard = true;

  private ReplyFeed feed(Duration interval, int mostChars, String trace) {
    return new ReplyFeed(
        new ReplyTopics(new Noted()),
        new ReplyFeed.Pace(interval, mostChars),
        () -> Instant.ofEpochMilli(clock.incrementAndGet()),
        AGENT,
        new RunId("r"),
        trace,
        "call",
        false);
  }

  private static InferenceDelta text(String text) {
    return new InferenceDelta.Text(text);
  }

  private List<String> texts(ReplyPart.Kind kind) {
    return sent.stream().filter(part -> part.kind() == kind).map(ReplyPart::text).toList();
  }

  @Test
  void whatComesWithinTheIntervalIsSentTogetherAndTheRestAtTheEnd() {
    ReplyFeed feed = feed(NEVER, 1_000, "r");
    feed.accept(new InferenceDelta.Asked("replica", "m"));
    for (String word : "one two three".split(" ")) {
      feed.accept(text(word));
    }
    assertThat(texts(ReplyPart.Kind.TEXT)).containsExactly("one");
    feed.end();
    assertThat(sent)
        .extracting(ReplyPart::kind, ReplyPart::index, ReplyPart::text)
        .containsExactly(
            tuple(ReplyPart.Kind.ASKED, 0, ""),
            tuple(ReplyPart.Kind.TEXT, 0, "one"),
            tuple(ReplyPart.Kind.TEXT, 3, "twothree"),
            tuple(ReplyPart.Kind.ENDED, 11, ""));
    assertThat(sent).extracting(ReplyPart::model).containsOnly("m");
  }

  private static org.assertj.core.groups.Tuple tuple(ReplyPart.Kind kind, long index, String text) {
    return org.assertj.core.groups.Tuple.tuple(kind, index, text);
  }

  @Test
  void whatWaitsIsSentAfterTheIntervalThoughNothingMoreComes() {
    ReplyFeed feed = feed(Duration.ofMillis(20), 1_000, "r");
    feed.accept(new InferenceDelta.Asked("replica", "m"));
    feed.accept(text("one"));
    feed.accept(text("two"));
    await().until(() -> String.join("", texts(ReplyPart.Kind.TEXT)).equals("onetwo"));
  }

  @Test
  void reasoningIsApartAndAnotherAttemptBeginsAnew() {
    ReplyFeed feed = feed(NEVER, 1_000, "r");
    feed.accept(new InferenceDelta.Asked("replica", "m"));
    feed.accept(new InferenceDelta.Reasoning("hm"));
    feed.accept(text("wrong"));
    feed.accept(text(", and void"));
    feed.accept(new InferenceDelta.Asked("replica-2", "m2"));
    feed.accept(text("right"));
    feed.end();
    assertThat(texts(ReplyPart.Kind.REASONING)).containsExactly("hm");
    ReplyPart second =
        sent.stream().filter(part -> part.model().equals("m2")).findFirst().orElseThrow();
    assertThat(second.kind()).isEqualTo(ReplyPart.Kind.ASKED);
    assertThat(second.asked()).isAfter(sent.getFirst().asked());
    List<ReplyPart> valid =
        sent.stream().filter(part -> part.asked().equals(second.asked())).toList();
    assertThat(valid)
        .extracting(ReplyPart::kind, ReplyPart::index, ReplyPart::text)
        .containsExactly(
            tuple(ReplyPart.Kind.ASKED, 0, ""),
            tuple(ReplyPart.Kind.TEXT, 0, "right"),
            tuple(ReplyPart.Kind.ENDED, 5, ""));
  }

  @Test
  void ofWhatIsTooMuchForOneMessageTheLastIsSentInWholeCharactersAndTheGapShows() {
    ReplyFeed feed = feed(NEVER, 5, "r");
    feed.accept(new InferenceDelta.Asked("replica", "m"));
    feed.accept(text("a"));
    feed.accept(text("bcd\ud83d\udc4befgh"));
    feed.end();
    ReplyPart last = sent.get(sent.size() - 2);
    assertThat(last.text()).isEqualTo("efgh");
    assertThat(last.index()).isEqualTo(6);
  }

  @Test
  void whereNoneFollowsNothingIsSentAndOneThatComesSeesWhatItHasMissed() {
    heard = false;
    ReplyFeed feed = feed(Duration.ZERO, 1_000, "r");
    feed.accept(new InferenceDelta.Asked("replica", "m"));
    feed.accept(text("missed"));
    assertThat(sent).isEmpty();
    heard = true;
    feed.accept(text("had"));
    assertThat(sent)
        .extracting(ReplyPart::kind, ReplyPart::index, ReplyPart::text)
        .containsExactly(tuple(ReplyPart.Kind.TEXT, 6, "had"));
  }

  @Test
  void aRunThatAnotherHasSetOffIsHeardThereToo() {
    ReplyFeed feed = feed(NEVER, 1_000, "root");
    feed.accept(new InferenceDelta.Asked("replica", "m"));
    assertThat(sent).hasSize(2);
  }

  @Test
  void whatTheModelWritesForAProgramIsSaidToBeJson() {
    ReplyFeed feed = feed(NEVER, 1_000, "r");
    feed.accept(new InferenceDelta.Asked("replica", "m", false));
    feed.accept(text("{\"say\": \"one\", \"calls\": ["));
    feed.accept(new InferenceDelta.Asked("replica-2", "m2"));
    feed.accept(text("one"));
    feed.end();
    assertThat(sent)
        .extracting(ReplyPart::kind, ReplyPart::json)
        .containsExactly(
            org.assertj.core.groups.Tuple.tuple(ReplyPart.Kind.ASKED, true),
            org.assertj.core.groups.Tuple.tuple(ReplyPart.Kind.TEXT, true),
            org.assertj.core.groups.Tuple.tuple(ReplyPart.Kind.ASKED, false),
            org.assertj.core.groups.Tuple.tuple(ReplyPart.Kind.TEXT, false),
            org.assertj.core.groups.Tuple.tuple(ReplyPart.Kind.ENDED, false));
  }

  /** Topics that note what is sent. */
  private final class Noted implements Topics {
    @Override
    public boolean heard(Scope scope, String topic) {
      return heard;
    }

    @Override
    public void publish(Scope scope, String topic, JsonNode message) {
      sent.add(WireJson.read(message, ReplyPart.class));
    }

    @Override
    public Listening listen(Scope scope, String topic, Consumer<JsonNode> listener) {
      throw new UnsupportedOperationException();
    }
  }
}
