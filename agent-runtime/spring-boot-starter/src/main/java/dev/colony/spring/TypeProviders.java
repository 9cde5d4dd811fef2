package dev.colony.spring;

import dev.colony.agent.author.Registered;
import dev.colony.agent.author.Registered.Upcaster;
import dev.colony.agent.author.TypeProvider;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.stream.Collectors;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.context.annotation.ClassPathScanningCandidateComponentProvider;
import org.springframework.core.io.ResourceLoader;
import org.springframework.core.type.filter.AnnotationTypeFilter;
import org.springframework.util.ClassUtils;

/** Who provides the types of an application. */
final class TypeProviders {

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
