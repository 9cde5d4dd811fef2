package dev.colony.agent.author;

import java.util.List;

/**
 * A call at a join point.
 *
 * @param joinPoint {@code Type.method}, the type being the simple name of the class that declares
 *     the method, for example {@code ActionDispatcher.dispatch}
 * @param target whose method is called
 * @param arguments what it is called with, in their order; may hold nulls
 */
public record HookContext(Agent agent, String joinPoint, Object target, List<Object> arguments) {}
