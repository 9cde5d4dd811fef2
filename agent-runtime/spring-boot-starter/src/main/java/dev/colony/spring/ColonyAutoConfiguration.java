package dev.colony.spring;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.colony.agent.author.TypeProvider;
import dev.colony.agent.client.Colony;
import dev.colony.blackboard.Blackboards;
import dev.colony.client.ColonyClient;
import dev.colony.client.http.HttpColony;
import dev.colony.core.registry.AgentTypes;
import io.micrometer.core.instrument.MeterRegistry;
import java.net.URI;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.core.io.ResourceLoader;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * The beans of an application that calls agents: {@link Colony}, over Redis also {@link
 * Blackboards}, and the {@link AgentTypes} that it knows. Each stands back behind one of the
 * application's own.
 */
@AutoConfiguration
@EnableConfigurationProperties(ColonyProperties.class)
public class ColonyAutoConfiguration {

  private static final String URL = "colony.url";

  /** The types of the class path, of the beans that provide types, and of the scanned packages. */
  @Bean
  @ConditionalOnMissingBean
  AgentTypes agentTypes(
      ObjectProvider<TypeProvider> beans, ColonyProperties properties, ResourceLoader loader) {
    return AgentTypes.of(
        TypeProviders.all(beans.orderedStream().toList(), properties.scan(), loader));
  }

  private static Config settings(ColonyProperties properties) {
    return ConfigFactory.parseMap(properties.settings(), "colony.settings")
        .withFallback(ConfigFactory.load());
  }

  @Configuration(proxyBeanMethods = false)
  @Conditional(OverRedis.class)
  static class RedisConfiguration {

    @Bean
    @ConditionalOnMissingBean
    ColonyClient colonyClient(ColonyProperties properties) {
      return ColonyClient.connect(properties.url(), settings(properties));
    }

    @Bean
    @ConditionalOnMissingBean
    Colony colony(ColonyClient client) {
      return client.colony();
    }

    /** Closed with the client. */
    @Bean(destroyMethod = "")
    @ConditionalOnMissingBean
    Blackboards blackboards(ColonyClient client) {
      return client.blackboards();
    }
  }

  @Configuration(proxyBeanMethods = false)
  @Conditional(OverHttp.class)
  static class HttpConfiguration {

    @Bean
    @ConditionalOnMissingBean
    Colony colony(ColonyProperties properties) {
      return HttpColony.at(URI.create(properties.url()), properties.key(), settings(properties));
    }
  }

  @Configuration(proxyBeanMethods = false)
  @Conditional(OverAnything.class)
  @ConditionalOnClass(HealthIndicator.class)
  static class HealthConfiguration {

    @Bean
    @ConditionalOnMissingBean(name = "colonyHealthIndicator")
    @ConditionalOnEnabledHealthIndicator("colony")
    HealthIndicator colonyHealthIndicator(Colony colony, ColonyProperties properties) {
      return new ColonyHealthIndicator(colony, properties.health());
    }
  }

  @Configuration(proxyBeanMethods = false)
  @Conditional(OverAnything.class)
  @ConditionalOnClass(MeterRegistry.class)
  static class MetricsConfiguration {

    /** Where there is a registry, the calls of every {@link Colony} are timed. */
    @Bean
    static BeanPostProcessor meteredColony(ObjectProvider<MeterRegistry> registries) {
      return new BeanPostProcessor() {
        @Override
        public Object postProcessAfterInitialization(Object bean, String name) {
          if (!(bean instanceof Colony colony)) {
            return bean;
          }
          MeterRegistry registry = registries.getIfAvailable();
          return registry == null ? colony : MeteredCalls.of(Colony.class, colony, registry);
        }
      };
    }
  }

  /** Whether the URL names something that the subclass speaks to. */
  private abstract static class OnUrl extends SpringBootCondition {

    @Override
    public ConditionOutcome getMatchOutcome(
        ConditionContext context, AnnotatedTypeMetadata metadata) {
      Environment environment = context.getEnvironment();
      String url = environment.getProperty(URL, "");
      return new ConditionOutcome(
          !url.isBlank() && matches(url.startsWith("http:") || url.startsWith("https:")),
          ConditionMessage.forCondition(URL).because(url.isBlank() ? "it is not set" : "is set"));
    }

    abstract boolean matches(boolean http);
  }

  static final class OverRedis extends OnUrl {
    @Override
    boolean matches(boolean http) {
      return !http;
    }
  }

  static final class OverHttp extends OnUrl {
    @Override
    boolean matches(boolean http) {
      return http;
    }
  }

  static final class OverAnything extends OnUrl {
    @Override
    boolean matches(boolean http) {
      return true;
    }
  }
}
