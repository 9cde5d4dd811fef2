package dev.colony.spring;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.colony.agent.author.Registered;
import dev.colony.agent.author.Registered.Upcaster;
import dev.colony.agent.author.TypeProvider;
import dev.colony.agent.client.Colony;
import dev.colony.blackboard.Blackboards;
import dev.colony.client.ColonyClient;
import dev.colony.client.http.HttpColony;
import dev.colony.core.registry.AgentTypes;
import io.micrometer.core.instrument.MeterRegistry;
import java.net.URI;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.stream.Collectors;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
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
import org.springframework.context.annotation.ClassPathScanningCandidateComponentProvider;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.core.io.ResourceLoader;
import org.springframework.core.type.AnnotatedTypeMetadata;
import org.springframework.core.type.filter.AnnotationTypeFilter;
import org.springframework.util.ClassUtils;

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

  /** Who provides the types of an application. */
  static final class TypeProviders {

    private TypeProviders() {}

    /**
     * The services of the class path, the beans that are none of these, and one provider of what
     * stands in the packages and is not registered by the others.
     */
    static List<TypeProvider> all(
        Collection<TypeProvider> beans, Collection<String> packages, ResourceLoader loader) {
      List<TypeProvider> providers = new ArrayList<>();
      ServiceLoader.load(TypeProvider.class, loader.getClassLoader()).forEach(providers::add);
      Set<Class<?>> services = providers.stream().map(Object::getClass).collect(Collectors.toSet());
      beans.stream().filter(bean -> !services.contains(bean.getClass())).forEach(providers::add);
      List<Class<?>> scanned = new ArrayList<>(registered(packages, loader));
      // A type is registered once: what is scanned gives way.
      providers.forEach(provider -> provider.register(taken(scanned)));
      providers.add(types -> scanned.forEach(types::add));
      return providers;
    }

    /** Takes out of the classes those that a provider registers. */
    private static TypeProvider.Types taken(Collection<Class<?>> classes) {
      return new TypeProvider.Types() {
        @Override
        public void add(Class<?> type) {
          classes.remove(type);
        }

        @Override
        public void add(Class<?> type, Upcaster upcaster) {
          classes.remove(type);
        }
      };
    }

    private static List<Class<?>> registered(Collection<String> packages, ResourceLoader loader) {
      ClassPathScanningCandidateComponentProvider scanner =
          new ClassPathScanningCandidateComponentProvider(false);
      scanner.setResourceLoader(loader);
      scanner.addIncludeFilter(new AnnotationTypeFilter(Registered.class, false));
      return packages.stream()
          .flatMap(each -> scanner.findCandidateComponents(each).stream())
          .map(BeanDefinition::getBeanClassName)
          .distinct()
          .sorted()
          .<Class<?>>map(name -> ClassUtils.resolveClassName(name, loader.getClassLoader()))
          .toList();
    }
  }
}
