package dev.colony.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.colony.cli.ColonyProcess.Finished;
import dev.colony.cli.local.UpRecord.NodeRecord;
import dev.colony.server.fixture.ProjectRoot;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The node of an agent dies while a person asks it, or talks with it. */
@Tag("faults")
class TalkNodeLossTest {

  private static final String AGENT = "local/main/reviewer";

  private final Rig rig = new Rig();

  @BeforeEach
  void start() {
    String model = rig.model().uri().toString();
    assertThat(rig.run("up", "--nodes", "2", "--model-url", model).status()).isZero();
    String file = ProjectRoot.find().resolve("examples/reviewer.json").toString();
    assertThat(rig.run("spawn", file).status()).isZero();
  }

  @AfterEach
  void stop() {
    rig.run("down");
    rig.close();
  }

  @Test
  void duringAnAsk() {
    ColonyProcess ask = rig.start("ask", AGENT, "Remember \"it ships\"");
    ask.awaitErr("waits for a person");
    losesItsNode();
    Finished done = ask.await();
    assertThat(done.status()).as(done.err()).isZero();
    assertThat(done.out()).contains("it ships");
    assertThat(done.err()).doesNotContain("\tat ");
  }

  @Test
  void duringAChat() {
    ColonyProcess chat = rig.start("chat", AGENT);
    chat.type("Remember \"it ships\"");
    chat.awaitErr("waits for a person");
    losesItsNode();
    await().atMost(ColonyProcess.LONGEST).until(() -> chat.out().contains("it ships"));
    chat.type("/quit");
    Finished done = chat.await();
    assertThat(done.status()).as(done.err()).isZero();
    assertThat(done.err()).doesNotContain("\tat ");
  }

  /** And is approved after that, on whichever node it lives then. */
  private void losesItsNode() {
    String lived = rig.run("agents", "show", AGENT, "--json").json().path("node").asText();
    NodeRecord victim = rig.node(lived.replaceAll("^.*@|#.*$", ""));
    Rig.kill(victim.pid());
    Finished told = rig.run("approve", AGENT, "--by", "ann", "--wait", "3m");
    assertThat(told.status()).as(told.out() + told.err()).isZero();
  }
}
