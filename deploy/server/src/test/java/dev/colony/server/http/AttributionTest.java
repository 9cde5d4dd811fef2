package dev.colony.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.agent.AgentId;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.Query;
import dev.colony.server.Principal.Role;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What is kept says with which key it was done, whatever the caller says, as
 * docs/operations/access.md has it.
 */
class AttributionTest {

  private static final String ADMIN = "key " + Role.ADMIN;

  @TempDir private Path folder;

  private ApiRig rig;
  private HttpApi api;
  private ApiClient client;
  private AgentId id;
  private String agent;

  @BeforeEach
  void start() {
    rig = new ApiRig();
    api = rig.start(ApiRig.keys(folder, List.of()), Map.of());
    client = ApiClient.of(api).key(ApiRig.key(Role.ADMIN));
    id = rig.agent();
    agent = ApiRig.COLONY + "/agents/" + id.name();
  }

  @AfterEach
  void end() {
    api.close();
    rig.close();
  }

  @Test
  void aRunAndItsCancellationAreInTheNameOfTheKey() {
    String order =
        "{\"input\": 1, \"namespace\": \"work\", \"runId\": \"r\", \"requestedBy\": \"%s\"}";
    client.post(agent + "/runs", order.formatted(id.persistenceId())).is(202);
    client.post(agent + "/runs/r/cancel?namespace=work", "{\"reason\": \"enough\"}").is(202);
    List<Entry> entries = all(rig.board(id));
    assertThat(entries).extracting(Entry::createdBy).containsOnly(ADMIN + ": " + id, ADMIN);
    assertThat(one(entries, "request").value().path("requestedBy").asText())
        .isEqualTo(ADMIN + ": " + id);
    assertThat(one(entries, "cancel").value().path("reason").asText())
        .isEqualTo(ADMIN + ": enough");
  }

  @Test
  void whoSaysNothingIsTheKey() {
    client.post(agent + "/runs", "{\"input\": 1, \"namespace\": \"work\"}").is(202);
    client.post(agent + "/stop", "").is(202);
    assertThat(all(rig.board(id)).getFirst().value().path("requestedBy").asText()).isEqualTo(ADMIN);
    assertThat(one(told(), "stop").value().path("reason").asText()).isEqualTo(ADMIN);
  }

  @Test
  void anApprovalAndAReasonAreInTheNameOfTheKey() {
    String granted = "{\"granted\": true, \"by\": \"key ops: bob\", \"note\": \"seen\"}";
    client.post(agent + "/approvals/pay-42", granted).is(202);
    client.post(agent + "/suspend", "{\"reason\": \"maintenance\"}").is(202);
    Entry approval = one(told(), "approval");
    assertThat(approval.value().path("by").asText()).isEqualTo(ADMIN + ": key ops: bob");
    assertThat(approval.value().path("reason").asText()).isEqualTo("seen");
    assertThat(one(told(), "suspend").value().path("reason").asText())
        .isEqualTo(ADMIN + ": maintenance");
  }

  @Test
  void aSessionIsOpenedAndClosedInTheNameOfTheKey() {
    String session = ApiRig.COLONY + "/sessions/s";
    client.send("PUT", session, "{\"by\": \"ann\"}", Map.of()).is(200);
    client.post(session + "/close", "").is(200);
    var kept = client.get(session).is(200).json();
    assertThat(kept.path("openedBy").asText()).isEqualTo(ADMIN + ": ann");
    assertThat(kept.path("closed").path("by").asText()).isEqualTo(ADMIN);
  }

  private List<Entry> told() {
    return all(rig.client().blackboards().open(id.scope(), "test"));
  }

  private static List<Entry> all(Blackboard board) {
    return board.query(Query.all()).toCompletableFuture().join().entries();
  }

  private static Entry one(List<Entry> entries, String word) {
    return entries.stream()
        .filter(entry -> entry.key().toLowerCase(Locale.ROOT).contains(word))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no " + word + " in " + entries));
  }
}
