package dev.colony.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.agent.author.ActionExecutor;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.AgentCapability.CapabilityContext;
import dev.colony.agent.author.Registered;
import dev.colony.agent.author.TypeProvider;
import dev.colony.agent.client.Colony;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.server.TestRedis;
import dev.colony.client.ColonyClient;
import dev.colony.client.http.HttpColony;
import dev.colony.core.registry.AgentTypes;
import java.lang.reflect.Proxy;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Which beans an application has, by its properties. */
class ColonyAutoConfigurationTest {

  private static final ApplicationContextRunner RUNNER =
      new ApplicationContextRunner()
          .withConfiguration(AutoConfigurations.of(ColonyAutoConfiguration.class));

  @Registered("test.scanned")
  public static final class Scanned extends AgentCapability {

    public Scanned(CapabilityContext context) {
      super(context);
    }

    @ActionExecutor(summary = "Says that it is there.")
    String here() {
      return "here";
    }
  }

  @Registered("test.served")
  public static final class Served extends AgentCapability {

    public Served(CapabilityContext context) {
      super(context);
    }

    @ActionExecutor(summary = "Says that it is there, too.")
    String here() {
      return "here";
    }
  }

  /** A service of the class path. */
  public static final class ServedTypes implements TypeProvider {
    @Override
    public void register(Types types) {
      types.add(Served.class);
    }
  }

  @Test
  void withoutAUrlThereIsNoConnection() {
    RUNNER.run(application -> {
      assertThat(application).doesNotHaveBean(Colony.class).doesNotHaveBean(HealthIndicator.class);
      assertThat(application).hasSingleBean(AgentTypes.class);
    });
  }

  @Test
  void aUrlOfRedisGivesTheBlackboardToo() {
    RUNNER
        .withPropertyValues("colony.url=" + TestRedis.shared().uri())
        .run(application ->
            assertThat(application)
                .hasNotFailed()
                .hasSingleBean(Colony.class)
                .hasSingleBean(ColonyClient.class)
                .hasSingleBean(Blackboards.class)
                .hasSingleBean(HealthIndicator.class));
  }

  @Test
  void aUrlOfTheApiConnectsToNothingYet() {
    RUNNER
        .withPropertyValues(
            "colony.url=http://127.0.0.1:1", "colony.key=k1", "colony.health.timeout=200ms")
        .run(application -> {
          assertThat(application.getBean(Colony.class)).isInstanceOf(HttpColony.class);
          assertThat(application).doesNotHaveBean(Blackboards.class);
          assertThat(application.getBean(HealthIndicator.class).health(true).getStatus().getCode())
              .isEqualTo("DOWN");
        });
  }

  @Test
  void aBeanOfTheApplicationsStandsInFront() {
    Colony own =
        (Colony)
            Proxy.newProxyInstance(
                Colony.class.getClassLoader(), new Class<?>[] {Colony.class}, (p, m, a) -> null);
    RUNNER
        .withPropertyValues("colony.url=http://127.0.0.1:1")
        .withBean("own", Colony.class, () -> own)
        .run(application -> assertThat(application).getBean(Colony.class).isSameAs(own));
  }

  @Test
  void settingsOfTheClientAreTheApplications() {
    RUNNER
        .withPropertyValues(
            "colony.url=http://127.0.0.1:1", "colony.settings[colony.agent.client.poll]=never")
        .run(application ->
            assertThat(application)
                .getFailure()
                .rootCause()
                .hasMessageContaining("colony.agent.client.poll"));
  }

  @Test
  void typesComeFromServicesBeansAndPackages() {
    RUNNER
        .withPropertyValues("colony.scan=dev.colony.spring")
        .run(application ->
            assertThat(application.getBean(AgentTypes.class).names(AgentCapability.class))
                .contains("test.scanned", "test.served"));
    RUNNER
        .withBean("types", TypeProvider.class, () -> types -> types.add(Scanned.class))
        .run(application ->
            assertThat(application.getBean(AgentTypes.class).names(AgentCapability.class))
                .contains("test.scanned"));
    RUNNER.run(application ->
        assertThat(application.getBean(AgentTypes.class).names(AgentCapability.class))
            .doesNotContain("test.scanned"));
  }
}
