package dev.colony.library.plan;

import static dev.colony.library.plan.PlanScript.action;
import static dev.colony.library.plan.PlanScript.list;
import static dev.colony.library.plan.PlanScript.part;
import static dev.colony.library.plan.PlanScript.plan;
import static dev.colony.library.plan.PlanScript.plans;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.Blueprint;
import dev.colony.agent.CapabilityBlueprint;
import dev.colony.agent.RunOptions;
import dev.colony.agent.action.ActionType.Effect;
import dev.colony.agent.author.ActionExecutor;
import dev.colony.agent.author.ActionExecutor.IdempotencyKey;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.AgentCapability.CapabilityContext;
import dev.colony.agent.author.Param;
import dev.colony.agent.author.Registered;
import dev.colony.agent.author.TypeProvider;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.Colony;
import dev.colony.agent.client.RunHandle;
import dev.colony.agent.fixture.LiveFixture;
import dev.colony.agent.fixture.LocalNode;
import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.redis.RedisBlackboards;
import dev.colony.blackboard.redis.RedisConnections;
import dev.colony.blackboard.server.TestRedis;
import dev.colony.core.registry.AgentTypes;
import dev.colony.testkit.FakeModel;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.apache.pekko.actor.Address;
import org.apache.pekko.cluster.typed.Cluster;
import org.junit.jupiter.api.Test;

/** A plan that waits in the middle goes on where its agent goes on: on another node. */
class PlanOnTwoNodesTest {

  /**
   * What a node is called, and what is sent from any.
   *
   * @param sent shared by all nodes
   */
  record Site(String name, List<Letter> sent) {}

  /** A letter that has left a node. */
  record Letter(String site, String text, String key) {}

  /** Sends letters, which cannot be taken back. */
  @Registered(value = "test.courier", summary = "Letters.")
  public static final class Courier extends AgentCapability {

    public Courier(CapabilityContext context) {
      super(context);
    }

    @ActionExecutor(key = "courier.send", summary = "Sends a letter.", effect = Effect.EXTERNAL)
    String send(@Param("what it says") String text, IdempotencyKey key) {
      Site site = agent().service(Site.class);
      site.sent().add(new Letter(site.name(), text, key.value()));
      return text;
    }

    @ActionExecutor(
        key = "courier.seal",
        summary = "Seals a letter and sends it.",
        effect = Effect.EXTERNAL,
        approval = true)
    String seal(@Param("what it says") String text, IdempotencyKey key) {
      return send(text, key);
    }
  }

  /** A node of the colony, on the journal and the blackboard in Redis. */
  private static final class Node implements AutoCloseable {

    private static final String SETTINGS = "colony.agent.passivate-after = 100ms";

    private final LocalNode node;
    private final Colony colony;

    Node(Site site, Optional<Address> seed, Blackboards boards, FakeModel model) {
      TypeProvider own = types -> types.add(Courier.class);
      AgentTypes types =
          AgentTypes.of(
              Stream.concat(
                      ServiceLoader.load(TypeProvider.class).stream()
                          .map(ServiceLoader.Provider::get),
                      Stream.of(own))
                  .toList());
      node =
          LocalNode.of(boards, own)
              .types(types)
              .journal(TestRedis.shared().uri())
              .settings(SETTINGS)
              .model(model.gateway())
              .service(Site.class, site)
              .joins(seed)
              .start();
      colony = node.colony();
    }

    Address address() {
      return Cluster.get(node.system()).selfMember().address();
    }

    boolean up() {
      return Cluster.get(node.system()).selfMember().status().toString().equals("Up");
    }

    @Override
    public void close() {
      node.close();
    }
  }

  private final List<Letter> sent = new CopyOnWriteArrayList<>();

  @Test
  void aPlanOfThreeLevelsGoesOnAtTheSameActionOnAnotherNode() {
    try (FakeModel model = FakeModel.start();
        Blackboards boards =
            new RedisBlackboards(
                new RedisConnections(TestRedis.shared().uri(), Duration.ofSeconds(20)),
                BlackboardSettings.DEFAULTS);
        Node one = new Node(new Site("one", sent), Optional.empty(), boards, model);
        Node two = new Node(new Site("two", sent), Optional.of(one.address()), boards, model)) {
      LiveFixture.await().until(() -> one.up() && two.up());
      plans(
          model.expect("Plan how your goals are reached."),
          plan(letter("a", "first"), part("b", "the second level", "a"))
              .put("result", "$results.b"));
      plans(
          model.expect("the second level (b)"),
          plan(part("c", "the third level")).put("result", "$results.c.f"));
      plans(
          model.expect("the third level (b.c)"),
          plan(
              letter("d", "$results.a"),
              action("e", "courier.seal", Map.of("text", "sealed"), "after", list("d")),
              letter("f", "$results.e")));
      AgentId id = new AgentId("acme", "plans", "p-" + UUID.randomUUID());
      RunOptions options = RunOptions.namespace("test").timeout(Duration.ofMinutes(1));
      AgentHandle agent =
          LiveFixture.now(
              one.colony.spawn(
                  id,
                  AgentBlueprint.of(Blueprint.bind(CacheAwareActionPolicy.class, PlanArgs.NONE))
                      .capability(CapabilityBlueprint.of(Blueprint.of("test.courier")))));
      RunHandle asked = agent.run("Go deep", options);
      LiveFixture.await().until(() -> LiveFixture.now(agent.pending()).size() == 1);
      String request = LiveFixture.now(agent.pending()).getFirst().request();
      assertThat(sent).extracting(Letter::text).containsExactly("first", "first");

      boolean onOne = sent.getLast().site().equals("one");
      (onOne ? one : two).close();
      Node other = onOne ? two : one;
      AgentHandle there = other.colony.agent(id);
      LiveFixture.now(there.approve(request, "eve", ""));
      AgentRun run = LiveFixture.result(there.attach(asked.runId(), options));
      assertThat(run.error()).isEmpty();
      assertThat(run.output().asText()).isEqualTo("sealed");
      assertThat(sent)
          .extracting(Letter::text)
          .containsExactly("first", "first", "sealed", "sealed");
      assertThat(sent).extracting(Letter::key).doesNotHaveDuplicates();
      assertThat(sent.subList(2, 4)).extracting(Letter::site).containsOnly(onOne ? "two" : "one");
      assertThat(run.stats().modelCalls()).isEqualTo(3);
    }
  }

  private static ObjectNode letter(String name, String text) {
    return action(name, "courier.send", Map.of("text", text));
  }
}
