package dev.colony.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.AgentState;
import dev.colony.agent.ResumptionCondition;
import dev.colony.agent.RunRequest;
import dev.colony.agent.RunStats;
import dev.colony.agent.Suspension;
import dev.colony.agent.Suspension.SuspensionCause;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.AgentHandle.ForkReply;
import dev.colony.agent.client.AgentView.PendingApproval;
import dev.colony.agent.client.HistoryPage;
import dev.colony.agent.client.HistoryPage.HistoryPosition;
import dev.colony.agent.client.HistoryPage.StateAt;
import dev.colony.client.http.HttpColony;
import dev.colony.core.lifecycle.AgentCommand.LifecycleCommand;
import dev.colony.core.lifecycle.AgentEvent;
import dev.colony.server.fixture.StoredAgents;
import java.net.URI;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** An agent's past is the same over HTTP and over Redis, from one journal. */
class PastOverHttpTest extends ServedApi {

  private static final String NO_KEY = "";
  private static final int PAGE_BYTES = 64 * 1024;
  private static final int LARGE = 20_000;

  private AgentId id;
  private AgentHandle overRedis;
  private AgentHandle overHttp;

  @Override
  Map<String, ?> settings() {
    return Map.of("page-bytes", PAGE_BYTES);
  }

  @BeforeEach
  void worked() {
    id = rig.agent();
    RunRequest request = StoredAgents.request(id, "r-1");
    AgentRun ended = AgentRun.completed(request.runId(), TextNode.valueOf("done"), RunStats.NONE);
    rig.agents()
        .journal(
            id,
            new AgentEvent.RunAccepted(request, 1, StoredAgents.START),
            new AgentEvent.RunCompleted(ended, StoredAgents.START));
    overRedis = rig.client().colony().agent(id);
    overHttp = HttpColony.at(api.uri(), NO_KEY).agent(id);
  }

  @Test
  void theHistoryIsTheSamePageByPage() {
    Optional<HistoryPosition> before = Optional.empty();
    int entries = 0;
    do {
      HistoryPage page = get(overHttp.history(before, 2));
      assertThat(page).isEqualTo(get(overRedis.history(before, 2)));
      entries += page.entries().size();
      before = page.older();
    } while (before.isPresent());
    assertThat(entries).isEqualTo(5);
  }

  /** The bound, and as much again for what is read at once. */
  @Test
  void aPageOfLargeEntriesIsShortAndGoesOn() {
    List<AgentEvent> large =
        IntStream.range(0, 40)
            .<AgentEvent>mapToObj(
                i -> new AgentEvent.Claimed(2 + i, "n".repeat(LARGE), StoredAgents.START))
            .toList();
    rig.agents().journal(id, large.toArray(AgentEvent[]::new));
    String history = ApiRig.COLONY + "/agents/" + id.name() + "/history?limit=1000";
    Deque<Integer> numbers = new ArrayDeque<>();
    int pages = 0;
    JsonNode page = client.get(history).is(200).json();
    while (true) {
      pages++;
      assertThat(page.toString().length()).isLessThan(PAGE_BYTES + 10 * LARGE);
      List<JsonNode> entries = page.path("entries").valueStream().toList();
      entries.reversed().forEach(entry -> numbers.addFirst(entry.path("sequenceNr").asInt()));
      if (!page.has("older")) {
        break;
      }
      page = client.get(history + "&before=" + page.path("older").asText()).is(200).json();
    }
    assertThat(pages).isGreaterThan(2);
    assertThat(numbers).containsExactlyElementsOf(IntStream.rangeClosed(1, 45).boxed().toList());
    assertThat(get(overHttp.history(Optional.empty(), 1000)).entries())
        .as("a handle asks until it has as many as it was asked for")
        .isEqualTo(get(overRedis.history(Optional.empty(), 1000)).entries());
  }

  @Test
  void soIsEveryStateOnTheWayAndWhatIsNotKnown() {
    for (long event = 1; event <= 6; event++) {
      assertThat(get(overHttp.at(event))).isEqualTo(get(overRedis.at(event)));
    }
    assertThat(get(overHttp.at(5))).isInstanceOf(StateAt.Known.class);
    assertThat(get(overHttp.at(6))).isInstanceOf(StateAt.NotYet.class);
  }

  @Test
  void aForkIsMadeOnce() {
    String name = id.name() + "-fork";
    ForkReply made = get(overHttp.fork(3, name));
    assertThat(made)
        .isEqualTo(new ForkReply.Forked(new AgentId(id.tenant(), id.colony(), name), id, 3));
    assertThat(get(overRedis.fork(3, name))).isEqualTo(made);
    assertThat(get(overHttp.fork(2, name))).isInstanceOf(ForkReply.Taken.class);
  }

  @Test
  void soIsWhatItAsksPersonsFor() {
    assertThat(get(overHttp.pending())).isEmpty();
    ResumptionCondition both =
        new ResumptionCondition.AnyOf(
            List.of(
                new ResumptionCondition.Approved("pay-42"), new ResumptionCondition.Custom("go")));
    rig.agents()
        .journal(
            id,
            new AgentEvent.Transitioned(
                LifecycleCommand.SUSPEND,
                AgentState.IDLE,
                AgentState.SUSPENDED,
                "42 is a lot",
                Optional.of(
                    new Suspension(
                        1,
                        SuspensionCause.APPROVAL,
                        "42 is a lot",
                        Optional.of(both),
                        StoredAgents.START)),
                0,
                StoredAgents.START));
    assertThat(get(overHttp.pending()))
        .isEqualTo(get(overRedis.pending()))
        .containsExactly(
            new PendingApproval(id, "pay-42", "42 is a lot", Optional.empty(), StoredAgents.START));
    String agents = ApiRig.COLONY + "/agents?limit=1000";
    assertThat(client.get(agents + "&asking=true").is(200).json().path("agents"))
        .singleElement()
        .satisfies(
            agent -> assertThat(agent.path("agentId").asText()).isEqualTo(id.persistenceId()));
    assertThat(client.get(agents).is(200).json().path("agents").size()).isGreaterThan(1);
    AgentHandle ghost = HttpColony.at(api.uri(), NO_KEY).agent(new AgentId("acme", "billing", "g"));
    assertThat(get(ghost.pending())).isEmpty();
    client.get(ApiRig.COLONY + "/agents/g/approvals").is(404);
  }

  @Test
  void theAgentsOwnUrlIsAHandle() {
    URI url = URI.create(api.uri() + "/v1/tenants/acme/colonies/billing/agents/" + id.name());
    assertThat(get(HttpColony.agentAt(url, NO_KEY).state())).isEqualTo(get(overRedis.state()));
  }

  private static <T> T get(CompletionStage<T> stage) {
    return stage.toCompletableFuture().join();
  }
}
