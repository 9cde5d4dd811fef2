package dev.colony.agent.author;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Makes a method of a capability or a policy a join point: hooks of the same agent see its calls,
 * those that the object makes to itself included. Of an asynchronous method (one that returns a
 * {@link java.util.concurrent.CompletionStage}) AFTER hooks see the completion. A final or private
 * method, or a method of a final class, is refused when the type is bound.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface Hookable {}
