/**
 * What model calls take, in tokens and money, and what they may take: prices, budgets of tenants
 * and their sessions, rates of tenants and models.
 *
 * <p>A call reserves the most that it may take before it begins, and settles what it took when it
 * has ended, however. {@link dev.colony.inference.budget.SpendBook} decides, and is pure; {@link
 * dev.colony.inference.budget.SpendStore} keeps the sums where all nodes see them. Source of the
 * rates: the generic cell rate algorithm of ITU-T Recommendation I.371.
 */
package dev.colony.inference.budget;
