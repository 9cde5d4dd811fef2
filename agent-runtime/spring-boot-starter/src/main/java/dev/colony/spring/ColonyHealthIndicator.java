package dev.colony.spring;

import dev.colony.agent.AgentId;
import dev.colony.agent.client.Colony;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/** Up where a question about an agent is answered, whether there is such an agent or not. */
final class ColonyHealthIndicator extends AbstractHealthIndicator {

  private final Colony colony;
  private final ColonyProperties.Health settings;

  ColonyHealthIndicator(Colony colony, ColonyProperties.Health settings) {
    super("the colony does not answer");
    this.colony = colony;
    this.settings = settings;
  }

  @Override
  protected void doHealthCheck(Health.Builder builder) throws Exception {
    try {
      colony
          .agent(new AgentId(settings.tenant(), "health", "check"))
          .state()
          .get(settings.timeout().toMillis(), TimeUnit.MILLISECONDS);
      builder.up();
    } catch (TimeoutException late) {
      builder.down().withDetail("error", "no answer within " + settings.timeout());
    } catch (ExecutionException failure) {
      builder.down().withDetail("error", String.valueOf(failure.getCause().getMessage()));
    }
  }
}
