package dev.colony.blackboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What is promised of messages that are not kept. */
abstract class TopicContract extends Contract {

  TopicContract(BlackboardContract backend) {
    super(backend);
  }

  private Topics topics() {
    return blackboards().topics();
  }

  @Test
  void aListenerHasTheMessagesOnceInTheirOrderFromWhenItIsHeardOf() {
    Topics topics = topics();
    List<JsonNode> got = new CopyOnWriteArrayList<>();
    topics.publish(scope, "numbers", IntNode.valueOf(-1));
    topics.listen(scope, "numbers", got::add);
    await().until(() -> topics.heard(scope, "numbers"));
    IntStream.range(0, 100).forEach(n -> topics.publish(scope, "numbers", IntNode.valueOf(n)));
    await().until(() -> got.contains(IntNode.valueOf(99)));
    assertThat(got)
        .containsExactlyElementsOf(IntStream.range(0, 100).mapToObj(IntNode::valueOf).toList());
  }

  @Test
  void topicsAndScopesAreApart() {
    Topics topics = topics();
    List<JsonNode> got = new CopyOnWriteArrayList<>();
    topics.listen(scope, "a", got::add);
    topics.listen(scope, "b", message -> {});
    topics.listen(scope.namespace("n"), "a", message -> {});
    await()
        .until(() ->
            topics.heard(scope, "a")
                && topics.heard(scope, "b")
                && topics.heard(scope.namespace("n"), "a"));
    assertThat(topics.heard(scope, "c")).isFalse();
    assertThat(topics.heard(Scope.tenant(tenant), "a")).isFalse();
    topics.publish(scope, "b", TextNode.valueOf("other topic"));
    topics.publish(scope.namespace("n"), "a", TextNode.valueOf("other scope"));
    topics.publish(scope, "a", TextNode.valueOf("this"));
    await().until(() -> !got.isEmpty());
    assertThat(got).containsExactly(TextNode.valueOf("this"));
  }

  @Test
  void aListenerThatFailsKeepsNoneFromAnother() {
    Topics topics = topics();
    List<JsonNode> got = new CopyOnWriteArrayList<>();
    topics.listen(
        scope,
        "a",
        message -> {
          throw new IllegalStateException("of the listener");
        });
    topics.listen(scope, "a", got::add);
    await().until(() -> topics.heard(scope, "a"));
    topics.publish(scope, "a", IntNode.valueOf(1));
    topics.publish(scope, "a", IntNode.valueOf(2));
    await().until(() -> got.size() == 2);
  }

  @Test
  void aListenerThatHasLeftHearsNothingAndTheOthersGoOn() {
    Topics topics = topics();
    List<JsonNode> left = new CopyOnWriteArrayList<>();
    List<JsonNode> stays = new CopyOnWriteArrayList<>();
    Topics.Listening leaving = topics.listen(scope, "a", left::add);
    topics.listen(scope, "a", stays::add);
    await().until(() -> topics.heard(scope, "a"));
    leaving.close();
    leaving.close();
    topics.publish(scope, "a", IntNode.valueOf(1));
    await().until(() -> !stays.isEmpty());
    assertThat(left).isEmpty();
  }

  @Test
  void aMessageThatIsTooLongIsRefusedAndANameThatIsNoKey() {
    Topics topics = blackboards(BlackboardSettings.DEFAULTS.withMaxValueBytes(100)).topics();
    topics.listen(scope, "a", message -> {});
    await().until(() -> topics.heard(scope, "a"));
    assertThatThrownBy(() -> topics.publish(scope, "a", TextNode.valueOf("x".repeat(200))))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> topics.listen(scope, "a*", message -> {}))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
