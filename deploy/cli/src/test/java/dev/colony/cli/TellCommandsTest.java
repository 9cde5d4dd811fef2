package dev.colony.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.AgentState;
import dev.colony.agent.ResumptionCondition;
import dev.colony.agent.Suspension.Approval;
import dev.colony.agent.Suspension.SuspensionCause;
import dev.colony.agent.author.StepDelta;
import dev.colony.blackboard.Position;
import dev.colony.cli.ColonyProcess.Finished;
import dev.colony.client.AgentSignal;
import dev.colony.core.lifecycle.ActiveRun.Blocked;
import dev.colony.core.lifecycle.AgentCommand.LifecycleCommand;
import dev.colony.core.lifecycle.AgentEvent;
import dev.colony.core.lifecycle.Intent;
import dev.colony.server.fixture.StoredAgents;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What the commands do that tell an agent something. */
class TellCommandsTest extends ToldAgent {

  @Test
  void anAgentIsSuspendedUntilSomethingHappens() {
    Thread taking =
        taking(
            suspended(SuspensionCause.EXPLICIT, Optional.of(new ResumptionCondition.Custom("go"))));
    Finished done =
        done("suspend", id.toString(), "--reason", "over night", "--until", "signal:go");
    assertThat(done.out()).isEqualTo(id + " is suspended until the signal go\n");
    join(taking);
    assertThat(signals())
        .containsExactly(
            AgentSignal.suspend(
                id, Optional.of(new ResumptionCondition.Custom("go")), "over night"));
    assertThat(done("suspend", id.toString(), "--until", "signal:go").out())
        .isEqualTo(id + " is suspended already\n");
    String shown = rig.agents("show", id.toString()).out();
    assertThat(shown).contains("since", "cause explicit", "until     the signal go");
    JsonNode json = rig.agents("show", id.toString(), "--json").json();
    assertThat(json.path("suspension").path("cause").asText()).isEqualTo("EXPLICIT");
    assertThat(json.path("suspension").path("until").path("key").asText()).isEqualTo("go");
  }

  @Test
  void aTenantAColonyAndATreeAreSuspendedAndResumed() {
    Map.of(
            List.of("--tenant", "told-1"),
            "tenant told-1",
            List.of("--colony", "told-1/main"),
            "colony told-1/main",
            List.of(id.toString(), "--tree"),
            "the tree of agents of " + id)
        .forEach((what, words) -> {
          List<String> line = new ArrayList<>(List.of("suspend"));
          line.addAll(what);
          assertThat(done(line.toArray(String[]::new)).out())
              .isEqualTo(
                  words
                      + " is suspended until it is resumed; from 2 s on no model call of it"
                      + " begins\n");
          assertThat(done(line.toArray(String[]::new)).out())
              .isEqualTo(words + " is suspended already\n");
          String status = words + " is suspended · colony resume " + String.join(" ", what) + "\n";
          assertThat(rig.ok("status").out()).contains(status);
          line.set(0, "resume");
          assertThat(done(line.toArray(String[]::new)).out()).isEqualTo(words + " goes on\n");
          assertThat(rig.ok("status").out()).doesNotContain(status);
          Rig.assertOneLine(
              rig.colony(line.toArray(String[]::new)), 1, words + " is not suspended as a whole");
        });
    String given =
        "give one of these: AGENT, AGENT --tree, --colony TENANT/COLONY, --tenant TENANT";
    Rig.assertOneLine(rig.colony("suspend"), 2, given);
    Rig.assertOneLine(rig.colony("suspend", id.toString(), "--tenant", "t"), 2, given);
    Rig.assertOneLine(rig.colony("suspend", "--tree", "--tenant", "t"), 2, given);
    Rig.assertOneLine(
        rig.colony("resume", "--colony", "main"), 2, "--colony is TENANT/COLONY, not: main");
    Rig.assertOneLine(
        rig.colony("suspend", "--tenant", "t", "--until", "signal:go"), 2, "--until is for one");
    Rig.assertOneLine(
        rig.colony("suspend", "acme/told/ghost", "--tree"), 1, "there is no agent acme/told/ghost");
  }

  @Test
  void aRunIsRewoundThatItsAgentHasEndedLast() {
    Rig.assertOneLine(
        rig.colony("rewind", id.toString(), "r1", "--step", "0"),
        1,
        "run r1 is not the last that the agent has ended");
    Rig.assertOneLine(rig.colony("rewind", id.toString(), "r1"), 2, "--step");
  }

  @Test
  void whatIsNotTakenYetIsSaid() {
    Finished told = rig.colony("suspend", id.toString(), "--wait", "1ms");
    assertThat(told.status()).isEqualTo(1);
    assertThat(told.out()).isEqualTo(id + " is told, and has not taken it yet: it is IDLE\n");
    JsonNode json = rig.colony("suspend", id.toString(), "--wait", "1ms", "--json").json();
    assertThat(json.path("taken").asBoolean(true)).isFalse();
    assertThat(json.path("agentId").asText()).isEqualTo(id.toString());
    rig.journal(id, suspended(SuspensionCause.EXPLICIT, Optional.empty()));
    notTaken("SUSPENDED", "resume", id.toString());
  }

  /** Another condition, or another cause, is another suspension. */
  @Test
  void whatTakesThePlaceOfASuspensionIsTold() {
    ResumptionCondition go = new ResumptionCondition.Custom("go");
    rig.journal(id, suspended(SuspensionCause.PAGES, Optional.of(go)));
    notTaken("SUSPENDED", "suspend", id.toString(), "--until", "signal:go");
    rig.journal(id, suspended(SuspensionCause.EXPLICIT, Optional.of(go)));
    notTaken("SUSPENDED", "suspend", id.toString(), "--until", "signal:stay");
    assertThat(done("suspend", id.toString(), "--until", "signal:go").out())
        .isEqualTo(id + " is suspended already\n");
  }

  @Test
  void severalConditionsAreAnyOfThem() {
    rig.colony(
        "suspend",
        id.toString(),
        "--wait",
        "1ms",
        "--until",
        "ended:acme/told/b",
        "--until",
        "at:2027-01-01T00:00:00Z",
        "--until",
        "approval:pay",
        "--until",
        "{\"type\":\"IMMEDIATE\"}");
    Intent.Suspend told = (Intent.Suspend) ((AgentSignal.Wanted) signals().getFirst()).intent();
    assertThat(told.until()).containsInstanceOf(ResumptionCondition.AnyOf.class);
    assertThat(told.until().orElseThrow().leaves())
        .hasSize(4)
        .contains(
            new ResumptionCondition.Approved("pay", Optional.of(Position.BEGINNING)),
            new ResumptionCondition.Immediate());
  }

  @Test
  void aSuspendedAgentGoesOn() {
    Rig.assertOneLine(rig.colony("resume", id.toString()), 1, id + " is not suspended: it is IDLE");
    rig.journal(id, suspended(SuspensionCause.EXPLICIT, Optional.empty()));
    assertThat(rig.agents("show", id.toString()).out()).contains("until     it is resumed");
    Thread taking =
        taking(
            new AgentEvent.Transitioned(
                LifecycleCommand.RESUME,
                AgentState.SUSPENDED,
                AgentState.IDLE,
                "",
                Optional.empty(),
                0,
                StoredAgents.START));
    assertThat(done("resume", id.toString()).out()).isEqualTo(id + " goes on\n");
    join(taking);
  }

  @Test
  void anAgentWithoutItsPagesIsNotResumed() {
    rig.journal(id, suspended(SuspensionCause.PAGES, Optional.empty()));
    Rig.assertOneLine(rig.colony("resume", id.toString()), 1, "when its pages are in a cache");
    assertThat(signals()).isEmpty();
  }

  @Test
  void aPersonApprovesWhatIsAskedFor() {
    Rig.assertOneLine(rig.colony("approve", id.toString()), 1, "asks for nothing: it is IDLE");
    asking("pay-42");
    assertThat(rig.agents("show", id.toString()).out())
        .contains("asks      pay-42: colony approve " + id + " pay-42");
    assertThat(rig.agents("show", id.toString(), "--json").json().path("asks").path(0).asText())
        .isEqualTo("pay-42");
    Rig.assertOneLine(
        rig.colony("approve", id.toString(), "other"), 1, "does not ask for other, but for pay-42");
    Thread taking =
        taking(
            new AgentEvent.Approved(
                new Approval("pay-42", true, "ann", "once", StoredAgents.START),
                StoredAgents.START));
    Finished done = done("approve", id.toString(), "--by", "ann", "--note", "once");
    assertThat(done.out()).isEqualTo("pay-42 is approved of " + id + "\n");
    join(taking);
    assertThat(signals()).containsExactly(AgentSignal.approve(id, "pay-42", true, "ann", "once"));
  }

  /** It has spent that, too, when the command looks. */
  @Test
  void aPersonAllowsABudgetOnceMore() {
    rig.journal(
        id,
        new AgentEvent.RunAccepted(StoredAgents.request(id, "r1"), 1, StoredAgents.START),
        suspended(SuspensionCause.BUDGET, Optional.of(new ResumptionCondition.Approved("budget"))));
    Thread taking =
        taking(
            new AgentEvent.Approved(
                new Approval("budget", true, "ann", "", StoredAgents.START), StoredAgents.START));
    assertThat(done("approve", id.toString(), "--by", "ann").out())
        .isEqualTo("budget is approved of " + id + "\n");
    join(taking);
  }

  @Test
  void aPersonDeniesOneOfSeveralThings() {
    asking("pay-42", "ship-7");
    Rig.assertOneLine(
        rig.colony("deny", id.toString()), 2, "several things, name one: pay-42, ship-7");
    notTaken("WAITING", "deny", id.toString(), "ship-7", "--by", "ann");
    assertThat(signals()).containsExactly(AgentSignal.approve(id, "ship-7", false, "ann", ""));
  }

  @Test
  void aSignalIsGiven() {
    assertThat(done("signal", id.toString(), "go", "--reason", "412 files").out())
        .isEqualTo("the signal go is given to " + id + "\n");
    assertThat(signals()).containsExactly(new AgentSignal.Custom(id, "go", "412 files"));
  }

  @Test
  void agentsThatAreNotThereOrHaveEndedAreToldNothing() {
    for (String command : List.of("suspend", "resume", "approve", "deny", "cancel")) {
      Rig.assertOneLine(
          rig.colony(command, "acme/told/ghost"), 1, "there is no agent acme/told/ghost");
    }
    rig.journal(
        id,
        new AgentEvent.Transitioned(
            LifecycleCommand.STOP,
            AgentState.IDLE,
            AgentState.STOPPED,
            "enough",
            Optional.empty(),
            1,
            StoredAgents.START));
    for (String command : List.of("suspend", "resume", "approve", "deny")) {
      Rig.assertOneLine(
          rig.colony(command, id.toString()), 1, id + " has ended: it is STOPPED, enough");
    }
  }

  @Test
  void whatCannotBeUsedIsRefusedInOneLine() {
    for (String until : List.of("go", "signal:", "at:noon", "in:long", "ended:b", "{", "{}")) {
      Rig.assertOneLine(
          rig.colony("suspend", id.toString(), "--until", until), 2, "give signal:NAME");
    }
    Rig.assertOneLine(
        rig.colony("suspend", id.toString(), "--until", "{\"type\":\"CUSTOM\",\"kye\":\"go\"}"),
        2,
        "the condition CUSTOM has no field kye; it has key");
    Rig.assertOneLine(rig.colony("suspend", "boss"), 2, "tenant/colony/name");
    Rig.assertOneLine(rig.colony("suspend"), 2, "AGENT");
    Rig.assertOneLine(rig.colony("signal", id.toString()), 2, "NAME");
    Rig.assertOneLine(rig.colony("signal", id.toString(), "a b"), 2, "a b");
    Rig.assertOneLine(rig.colony("attach", id.toString(), "a b"), 2, "a b");
    Rig.assertOneLine(rig.colony("resume", id.toString(), "--wait", "soon"), 2, "90s or 2h");
  }

  /** Its run waits for an answer to each of these. */
  private void asking(String... requests) {
    ResumptionCondition all =
        new ResumptionCondition.All(
            List.of(requests).stream()
                .<ResumptionCondition>map(ResumptionCondition.Approved::new)
                .toList());
    rig.journal(
        id,
        new AgentEvent.RunAccepted(StoredAgents.request(id, "r1"), 1, StoredAgents.START),
        new AgentEvent.StepCompleted(
            0,
            Optional.empty(),
            StepDelta.NONE,
            Optional.empty(),
            Optional.of(
                new Blocked(
                    false, "needs an answer", List.of(), Optional.of(all), StoredAgents.START)),
            Optional.empty(),
            StoredAgents.START));
  }
}
