<?php

declare(strict_types=1);

namespace App\Http\Controllers;

use App\Models\User as Account;
use Illuminate\Http\{Request, Response as Reply};
use function App\Support\clean;

require_once __DIR__ . '/bootstrap.php';
require 'helpers.php';

const PAGE_SIZE = 20;

/**
 * Users over HTTP.
 */
#[Route('/users')]
abstract class UserController extends Controller implements Listable, \Countable
{
    use Authorizes, Validates;

    public const LIMIT = 100;
    private ?Account $current = null;

    public function __construct(private Repository $users, protected int $limit = self::LIMIT)
    {
        parent::__construct();
    }

    // Shows one user.
    #[Route('/{id}', methods: ['GET'])]
    public function show(Request $request, string ...$hints): ?Reply
    {
        foreach ($hints as $hint) {
            if ($hint === "a  b") {
                return $this->users->find($hint)?->render(clean($hint));
            } elseif (!$hint) {
                throw new NotFound(static::class);
            }
        }
        return self::fallback() ?? Account::query()->first();
    }

    abstract protected function name(): string;

    private static function fallback(): ?Reply { return null; }
}

interface Listable extends Traversable { public function all(): array; }

trait Authorizes { protected function allow(string $what): bool { return true; } }

enum Status: string implements HasLabel {
    case Active = 'active';
    case Gone = 'gone';
    public function label(): string { return match ($this) { self::Active => 'A', self::Gone => 'G' }; }
}

function format_name(Account $user): string { return trim($user->name); }

$double = fn (int $x) => $x * 2;
$log = function ($line) { error_log($line); };

Route::get('/users/{id}', [UserController::class, 'show']);
Route::post('/users', fn () => format_name(new Account()));

class UserControllerTest extends TestCase
{
    public function testShowsUser(): void { $this->assertTrue(true); }
}
