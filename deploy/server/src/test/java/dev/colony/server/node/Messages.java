package dev.colony.server.node;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.JavaParameterizedType;
import com.tngtech.archunit.core.domain.JavaType;
import com.tngtech.archunit.core.domain.JavaWildcardType;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.cluster.sharding.typed.javadsl.EntityTypeKey;

/** The messages of actors, found by what the code says that actors take. */
final class Messages {

  private Messages() {}

  /** All classes of a package, and of those below, that an actor may be sent. */
  static Set<Class<?>> ofActors(String of) {
    JavaClasses classes =
        new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages(of);
    Set<Class<?>> messages = new LinkedHashSet<>();
    classes.stream()
        .flatMap(Messages::types)
        .flatMap(Messages::taken)
        .filter(type -> type.getPackageName().startsWith(of))
        .flatMap(type -> Stream.concat(Stream.of(type), type.getAllSubclasses().stream()))
        .filter(type -> !type.isInterface())
        .filter(type -> !type.getModifiers().contains(JavaModifier.ABSTRACT))
        .forEach(type -> messages.add(type.reflect()));
    return messages;
  }

  private static Stream<JavaType> types(JavaClass owner) {
    return Stream.of(
            owner.getFields().stream().map(field -> field.getType()),
            owner.getCodeUnits().stream().map(unit -> unit.getReturnType()),
            owner.getCodeUnits().stream().flatMap(unit -> unit.getParameterTypes().stream()),
            owner.getSuperclass().stream())
        .flatMap(found -> found);
  }

  private static Stream<JavaClass> taken(JavaType type) {
    return switch (type) {
      case JavaParameterizedType generic when takesMessages(generic.toErasure()) ->
          generic.getActualTypeArguments().stream().flatMap(Messages::erasures);
      case JavaParameterizedType generic ->
          generic.getActualTypeArguments().stream().flatMap(Messages::taken);
      default -> Stream.of();
    };
  }

  private static boolean takesMessages(JavaClass type) {
    return type.isAssignableTo(ActorRef.class)
        || type.isAssignableTo(Behavior.class)
        || type.isAssignableTo(EntityTypeKey.class);
  }

  private static Stream<JavaClass> erasures(JavaType argument) {
    return argument instanceof JavaWildcardType wildcard
        ? Stream.concat(wildcard.getLowerBounds().stream(), wildcard.getUpperBounds().stream())
            .map(JavaType::toErasure)
        : Stream.of(argument.toErasure());
  }
}
