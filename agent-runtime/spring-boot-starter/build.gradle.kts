dependencies {
    api(project(":agent-runtime:client"))
    api(libs.spring.boot.starter)
    compileOnly(libs.spring.boot.health)
    compileOnly(libs.micrometer.core)
    annotationProcessor(libs.spring.boot.configuration.processor)
    testImplementation(project(":deploy:server"))
    testImplementation(project(path = ":agent-runtime:core", configuration = "testJar"))
    testImplementation(project(path = ":blackboard", configuration = "testJar"))
    testImplementation(libs.spring.boot.health)
    testImplementation(libs.micrometer.core)
    testImplementation(libs.spring.boot.test)
}
