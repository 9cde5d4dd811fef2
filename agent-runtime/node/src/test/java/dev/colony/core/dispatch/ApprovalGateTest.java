package dev.colony.core.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.agent.ResumptionCondition;
import dev.colony.agent.Suspension.Approval;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.action.ActionResult.Status;
import dev.colony.agent.fixture.TestAgent;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class ApprovalGateTest {

  private static final String CHAIR = "{'what':'chair','price':3}";

  private final TestAgent agent = TestAgent.named("a1");
  private final Workshop workshop = new Workshop(agent.capabilityContext("shop"));
  private final Dispatching run = Dispatching.of(agent.with(workshop));

  private String asked(ActionResult result) {
    assertThat(result.status()).isEqualTo(Status.BLOCKED);
    return ((ResumptionCondition.Approved) result.until().orElseThrow()).request();
  }

  private void answer(String request, boolean granted, String note) {
    run.approvals.put(request, new Approval(request, granted, "lead", note, Instant.EPOCH));
    run.nextIteration();
  }

  @Test
  void nothingBeginsBeforeAPersonHasApprovedIt() {
    ActionResult result = run.act("a", "shop.sell", CHAIR);
    assertThat(asked(result)).startsWith("shop.sell-");
    assertThat(result.error())
        .isEqualTo(
            "a person has to approve "
                + asked(result)
                + ": shop.sell {\"what\":\"chair\",\"price\":3}");
    assertThat(workshop.calls).isEmpty();
    assertThat(run.journal.intents).isEmpty();
  }

  @Test
  void anApprovalIsForOneExecution() {
    String first = asked(run.act("a", "shop.sell", CHAIR));
    assertThat(asked(run.act("b", "shop.sell", "{'price':3,'what':'chair'}"))).isEqualTo(first);
    answer(first, true, "");
    assertThat(run.act("c", "shop.sell", CHAIR).success()).isTrue();
    assertThat(run.journal.intents).hasSize(1);
    String second = asked(run.act("d", "shop.sell", CHAIR));
    assertThat(second).isEqualTo(first + "-2");
    answer(second, true, "");
    assertThat(run.act("e", "shop.sell", CHAIR).success()).isTrue();
    assertThat(workshop.calls).containsExactly("sell chair", "sell chair");
  }

  @Test
  void anApprovalIsForTheseParametersAndThisActionOnly() {
    answer(asked(run.act("a", "shop.sell", CHAIR)), true, "");
    assertThat(run.act("b", "shop.sell", "{'what':'chair','price':4}").blocked()).isTrue();
    assertThat(run.act("c", "shop.sell", "{'what':'table','price':3}").blocked()).isTrue();
    assertThat(workshop.calls).isEmpty();
  }

  @Test
  void aDenialIsToldEachTime() {
    String request = asked(run.act("a", "shop.sell", CHAIR));
    answer(request, false, "too cheap");
    for (String id : new String[] {"b", "c"}) {
      ActionResult result = run.act(id, "shop.sell", CHAIR);
      assertThat(result.status()).isEqualTo(Status.REFUSED);
      assertThat(result.error()).isEqualTo("denied by lead: too cheap");
    }
    answer(request, true, "");
    assertThat(run.act("d", "shop.sell", CHAIR).success()).isTrue();
  }

  @Test
  void whatDoesNotFitIsRefusedWithoutAskingAPerson() {
    assertThat(run.act("a", "shop.sell", "{'what':'chair'}").status()).isEqualTo(Status.REFUSED);
  }
}
